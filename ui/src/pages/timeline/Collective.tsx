// The collective of the chosen slice on all ranks of its group: which rank arrived last, how long the others waited.

import { api, type Collective as Found } from "../../api/client";
import { Loaded } from "../../components/Loaded";
import { duration, time } from "../../format";
import { go } from "../../scope";
import { texts } from "../../texts";
import type { Board } from "./board";
import { categoryOf } from "./colours";
import { JumpButton } from "./Details";

const t = texts({
  en: {
    none: "Select a slice on a communication lane to see the same collective on all ranks of its group.",
    what: "the collective",
    last: "Rank {rank} arrived last, {skew} after the first.",
    even: "All ranks arrived at the same time.",
    rank: "Rank {rank}",
    bar: "Rank {rank}: {length} from {begin}, waited {wait}, transferred data for {transit}",
    wait: "waiting for other ranks",
    transit: "transferring data",
    rest: "unknown",
    before: "Activity just before",
    who: "Rank",
    length: "Duration",
    showAll: "Show these ranks",
    isLast: "last",
  },
  zh: {
    none: "选择通信泳道上的切片，可查看其通信组中所有 rank 上的同一集合通信。",
    what: "集合通信",
    last: "rank {rank} 最后到达，比第一个晚 {skew}。",
    even: "所有 rank 同时到达。",
    rank: "rank {rank}",
    bar: "rank {rank}：从 {begin} 开始，时长 {length}，等待 {wait}，传输 {transit}",
    wait: "等待其他 rank",
    transit: "传输数据",
    rest: "未知",
    before: "在此之前的活动",
    who: "rank",
    length: "时长",
    showAll: "显示这些 rank",
    isLast: "最后",
  },
});

export function Collective({ board }: { board: Board }) {
  const chosen = board.chosen.value;
  board.opened.value;
  const details = board.details.value;
  const layer = chosen ? board.rank(chosen.rank).timeline.lanes.find((lane) => lane.id === details?.lane)?.layer : undefined;
  const isCollective =
    details !== null && layer !== undefined && categoryOf(layer, details.name) === "communication" && layer !== "overlap";
  if (!chosen || !isCollective) return <p class="state">{t("none")}</p>;
  return (
    <Loaded load={() => api.collective(chosen.rank, chosen.slice)} of={[chosen.rank, chosen.slice]} what={t("what")}>
      {(found) => <Instances board={board} found={found} />}
    </Loaded>
  );
}

/** When a rank waited and moved data. Where the profile does not have them, the wait ends when the last rank arrives. */
function partsOf(instance: Found["instances"][number], last: number): { wait: number; transit: number; rest: number } {
  const length = instance.end - instance.begin;
  const wait = Math.min(Math.max(instance.wait_ns ?? last - instance.begin, 0), length);
  const transit = Math.min(instance.transit_ns ?? length - wait, length - wait);
  return { wait, transit, rest: length - wait - transit };
}

function Instances({ board, found }: { board: Board; found: Found }) {
  const { instances, last_rank: lastRank } = found;
  const skew = found.skew_ns ?? 0;
  const begin = Math.min(...instances.map((instance) => instance.begin));
  const end = Math.max(...instances.map((instance) => instance.end), begin + 1);
  const last = Math.max(...instances.map((instance) => instance.begin));
  const percent = (ns: number) => `${(ns / (end - begin)) * 100}%`;
  const before = new Map(found.before.map((slice) => [slice.rank, slice]));
  return (
    <div class="collective">
      <div class="toolbar">
        <h2>{found.name}</h2>
        <span class="hint">{found.group}</span>
        <span>{lastRank !== null && skew > 0 ? t("last", { rank: lastRank, skew: duration(skew) }) : t("even")}</span>
        <button type="button" onClick={() => go({ ranks: instances.map((instance) => instance.rank) })}>
          {t("showAll")}
        </button>
        <ul class="legend">
          <li>
            <span class="swatch wait" />
            {t("wait")}
          </li>
          <li>
            <span class="swatch transit" />
            {t("transit")}
          </li>
          <li>
            <span class="swatch rest" />
            {t("rest")}
          </li>
        </ul>
      </div>
      <div class="instances">
        <span class="hint">{t("who")}</span>
        <span class="hint axis">
          <span>{time(begin)}</span>
          <span>+ {duration(end - begin)}</span>
        </span>
        <span class="hint">{t("length")}</span>
        <span class="hint">{t("before")}</span>
        {instances.map((instance) => {
          const parts = partsOf(instance, last);
          const start = instance.begin - begin;
          const previous = before.get(instance.rank);
          const isLast = instance.rank === lastRank && skew > 0;
          const label = t("bar", {
            rank: instance.rank,
            begin: time(instance.begin),
            length: duration(instance.end - instance.begin),
            wait: duration(parts.wait),
            transit: duration(parts.transit),
          });
          return [
            <span class="who" key={`${instance.rank} who`}>
              <JumpButton board={board} to={instance}>
                {t("rank", { rank: instance.rank })}
              </JumpButton>
              {isLast && <span class="chip">{t("isLast")}</span>}
            </span>,
            <button
              key={`${instance.rank} bar`}
              type="button"
              class="plain rank-bar"
              aria-label={label}
              title={label}
              onClick={() => board.jump(instance, { tab: "collective" })}
            >
              <span class="wait" style={{ left: percent(start), width: percent(parts.wait) }} />
              <span class="transit" style={{ left: percent(start + parts.wait), width: percent(parts.transit) }} />
              <span class="rest" style={{ left: percent(start + parts.wait + parts.transit), width: percent(parts.rest) }} />
            </button>,
            <span class="length" key={`${instance.rank} length`}>
              {duration(instance.end - instance.begin)}
            </span>,
            <span class="before" key={`${instance.rank} before`}>
              {previous && (
                <>
                  <JumpButton board={board} to={previous}>
                    {previous.name}
                  </JumpButton>{" "}
                  <span class="hint">{duration(previous.end - previous.begin)}</span>
                </>
              )}
            </span>,
          ];
        })}
      </div>
    </div>
  );
}
