// What is wrong with the run, and where that can be seen.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, type Diagnosis, type Evidence, type Finding } from "./api";
import { writeHash } from "./scope";

export function Overview() {
  const diagnosis = useSignal<Diagnosis | null>(null);
  const problem = useSignal<string | null>(null);
  useEffect(() => {
    api.diagnosis().then(
      (found) => (diagnosis.value = found),
      (error) => (problem.value = error.message),
    );
  }, []);
  if (problem.value) return <p role="alert">{problem.value}</p>;
  const found = diagnosis.value;
  if (!found) return <p role="status">Looking at all ranks …</p>;
  return (
    <main class="overview">
      <h1>
        {found.ranks} ranks, {found.steps} steps, {found.step_ms.toFixed(1)} ms a step
      </h1>
      {found.step_ms_without < found.step_ms && (
        <p>{found.step_ms_without.toFixed(1)} ms without what is found below.</p>
      )}
      <p>Layout: {found.layout}</p>
      {found.findings.length === 0 && <p>Nothing stands out.</p>}
      <ol class="findings">
        {found.findings.map((finding) => (
          <FindingItem key={finding.claim} finding={finding} />
        ))}
      </ol>
      {found.problems.map((problem) => (
        <p key={problem} role="note">
          {problem}
        </p>
      ))}
    </main>
  );
}

function FindingItem({ finding }: { finding: Finding }) {
  return (
    <li class={finding.severity}>
      <h2>
        <span class="severity">{finding.severity}</span> {finding.claim}
      </h2>
      <p>{finding.suggestion}</p>
      <ul>
        {finding.evidence.map((place) => (
          <li key={`${place.rank}/${place.start_ns}/${place.what}`}>
            <a href={linkTo(place)}>
              rank {place.rank}
              {place.step !== null && `, step ${place.step}`}
            </a>
            : {place.what}
          </li>
        ))}
      </ul>
    </li>
  );
}

/** The place on the timeline, with as much before and after it. */
function linkTo(place: Evidence): string {
  const margin = Math.max(place.end_ns - place.start_ns, 1000);
  const view = { begin: place.start_ns - margin, end: place.end_ns + margin };
  return writeHash({ page: "timeline", rank: place.rank, view, slice: null });
}
