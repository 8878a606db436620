// The rank that was selected on the grid: how it spent its time, and the ranks it works with.

import { go, link, type TimeRange } from "../../scope";
import { profile } from "../../shell/profile";
import { listed, texts } from "../../texts";
import { choose } from "../../components/params";
import { Term } from "../../components/Term";
import { type Dimension, DIMENSIONS, hasLayout, peersOf, type Place } from "./places";
import type { Breakdown } from "./breakdown";
import { clusterText } from "./texts";
import { duration } from "../../format";

const t = texts({
  en: { group: "{dimension} group: {ranks}", only: "Show only this group" },
  zh: { group: "{dimension} 通信组：{ranks}", only: "只显示该组" },
});

/** Ranks that are listed. */
const LISTED = 16;

export function ChosenRank({ rank, places, spent }: { rank: number; places: Place[]; spent: Breakdown | null }) {
  const span = profile.value?.span;
  const view: TimeRange | null = span ? { begin: span[0], end: span[1] } : null;
  const groups: [Dimension, number[]][] = hasLayout(places)
    ? DIMENSIONS.map((dimension): [Dimension, number[]] => [dimension, peersOf(places, rank, dimension)]).filter(([, ranks]) => ranks.length > 1)
    : [];
  return (
    <section class="chosen-rank" aria-label={clusterText("rank", { rank })}>
      <div class="toolbar">
        <h3>{clusterText("rank", { rank })}</h3>
        {spent && (
          <span>
            <Term of="step_time">{clusterText("duration")}</Term> {duration(spent.duration)}, <Term of="computing">{clusterText("computing")}</Term>{" "}
            {duration(spent.computing)}, <Term of="exposed_communication">{clusterText("exposed_communication")}</Term>{" "}
            {duration(spent.exposed_communication)}, <Term of="free">{clusterText("free")}</Term> {duration(spent.free)}
          </span>
        )}
        <a class="button" href={link({ page: "timeline", rank, view })}>
          {clusterText("timeline")}
        </a>
        <button type="button" onClick={() => choose({ of_rank: null })}>
          {clusterText("close")}
        </button>
      </div>
      <ul>
        {groups.map(([dimension, ranks]) => (
          <li key={dimension}>
            {t("group", { dimension, ranks: listed(ranks.slice(0, LISTED).map(String)) + (ranks.length > LISTED ? " …" : "") })}{" "}
            <button type="button" class="plain" onClick={() => go({ ranks })}>
              {t("only")}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
