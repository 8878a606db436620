// The page: which rank, which stretch of time, which slice; all of it in the address, so that any view is a link.

import { useSignal } from "@preact/signals";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { api, type Hit, type Run, type Timeline as TimelineData } from "./api";
import { Overview } from "./Overview";
import { PAGES, readHash, type Scope, writeHash } from "./scope";
import { around, Timeline } from "./timeline/Timeline";
import type { View } from "./view";
import "./style.css";

function App() {
  const run = useSignal<Run | null>(null);
  const scope = useSignal<Scope>(readHash(location.hash));
  const loaded = useSignal<{ rank: number; data: TimelineData; names: string[] } | null>(null);
  const problem = useSignal<string | null>(null);
  const hits = useSignal<{ count: number; hits: Hit[] } | null>(null);
  const change = (changes: Partial<Scope>) => {
    scope.value = { ...scope.value, ...changes };
    history.replaceState(null, "", writeHash(scope.value));
  };

  useEffect(() => {
    api.run().then(
      (found) => (run.value = found),
      (error) => (problem.value = error.message),
    );
    const onHash = () => (scope.value = readHash(location.hash));
    addEventListener("hashchange", onHash);
    return () => removeEventListener("hashchange", onHash);
  }, []);

  const shown = scope.value.rank ?? run.value?.ranks[0]?.rank ?? null;
  const rank = scope.value.page === "timeline" ? shown : null;
  useEffect(() => {
    if (rank === null) return;
    let current = true;
    loaded.value = null;
    Promise.all([api.timeline(rank), api.names(rank)]).then(
      ([data, names]) => {
        if (current) loaded.value = { rank, data, names };
      },
      (error) => (problem.value = error.message),
    );
    return () => {
      current = false;
    };
  }, [rank]);

  const span = loaded.value?.data.span;
  const whole: View = span ? { begin: span[0], end: span[1] } : { begin: 0, end: 1 };
  const search = async (text: string) => {
    hits.value = text === "" ? null : await api.search(text);
  };
  return (
    <>
      <header>
        <strong>npuscope</strong> {run.value?.name}
        <nav aria-label="Pages">
          {PAGES.map((page) => (
            <a key={page} href={writeHash({ ...scope.value, page })} aria-current={scope.value.page === page ? "page" : undefined}>
              {page}
            </a>
          ))}
        </nav>
        <label>
          Rank{" "}
          <select value={rank ?? ""} onChange={(event) => change({ rank: Number(event.currentTarget.value), view: null, slice: null })}>
            {run.value?.ranks.map((rank) => (
              <option key={rank.rank} value={rank.rank}>
                {rank.rank}
              </option>
            ))}
          </select>
        </label>
        <input type="search" placeholder="Search" aria-label="Search" onChange={(event) => search(event.currentTarget.value)} />
        {hits.value && <span role="status">{hits.value.count} found</span>}
      </header>
      {hits.value && (
        <ol class="hits">
          {hits.value.hits.slice(0, 50).map((hit) => (
            <li key={`${hit.rank}/${hit.slice}`}>
              <button type="button" onClick={() => change({ page: "timeline", rank: hit.rank, slice: hit.slice, view: around(hit, whole) })}>
                rank {hit.rank}: {hit.name}
              </button>
            </li>
          ))}
        </ol>
      )}
      {problem.value && <p role="alert">{problem.value}</p>}
      {scope.value.page === "overview" && <Overview />}
      {scope.value.page === "timeline" && loaded.value && span && (
        <Timeline
          rank={loaded.value.rank}
          data={loaded.value.data}
          names={loaded.value.names}
          view={scope.value.view ?? whole}
          onView={(view) => change({ view })}
          slice={scope.value.slice}
          onSlice={(slice) => change({ slice })}
        />
      )}
      {scope.value.page === "timeline" && loaded.value && !span && <p>This rank has nothing to draw.</p>}
      {scope.value.page === "timeline" && !loaded.value && !problem.value && <p role="status">Reading …</p>}
    </>
  );
}

render(<App />, document.getElementById("app") as HTMLElement);
