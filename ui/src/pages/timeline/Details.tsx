// All that is known of the chosen slice.

import { reason } from "../../api/client";
import { Loading } from "../../components/Loaded";
import { count, duration } from "../../format";
import { link, scope } from "../../scope";
import { texts } from "../../texts";
import type { Board, Jump } from "./board";
import { timeText } from "./overlay";
import { align, selectRange } from "./slices";

const t = texts({
  en: {
    none: "Click a slice to see its details. Drag over lanes to get statistics of an area. Right-click for more actions.",
    what: "the slice",
    failed: "Could not read the slice: {why}",
    duration: "Duration",
    self: "Self time",
    start: "Start",
    raw: "Since the epoch",
    lane: "Lane",
    rank: "Rank",
    flows: "Arrows",
    from: "from",
    to: "to",
    args: "Arguments",
    stack: "Stack",
    noArgs: "No arguments were recorded.",
    collective: "All ranks",
    range: "Select its time range (M)",
    alignStart: "Align ranks by start (L)",
    alignEnd: "Align ranks by end (R)",
    fit: "Zoom to slice (F)",
  },
  zh: {
    none: "单击切片查看详情。在泳道上拖动可查看区域统计。右键单击查看更多操作。",
    what: "切片",
    failed: "无法读取切片：{why}",
    duration: "时长",
    self: "自身时间",
    start: "开始",
    raw: "自 epoch 起",
    lane: "泳道",
    rank: "rank",
    flows: "箭头",
    from: "来自",
    to: "去往",
    args: "参数",
    stack: "调用栈",
    noArgs: "未记录参数。",
    collective: "所有 rank",
    range: "选中其时间范围（M）",
    alignStart: "按起点对齐各 rank（L）",
    alignEnd: "按终点对齐各 rank（R）",
    fit: "缩放至切片（F）",
  },
});

const isStack = (name: string) => /stack/i.test(name);

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A link to a place: it has an address, and goes there without a new entry of the history. */
export function JumpButton({ board, to, children }: { board: Board; to: Jump; children: string }) {
  return (
    <button type="button" class="plain jump" title={children} onClick={() => board.jump(to)}>
      {children}
    </button>
  );
}

export function Details({ board }: { board: Board }) {
  if (board.detailsError.value !== null)
    return (
      <p class="state failed" role="alert">
        {t("failed", { why: reason(board.detailsError.value) })}
      </p>
    );
  const slice = board.details.value;
  if (!board.chosen.value) return <p class="state">{t("none")}</p>;
  if (!slice) return <Loading what={t("what")} />;
  board.opened.value;
  const layer = board.rank(slice.rank).timeline.lanes.find((lane) => lane.id === slice.lane)?.layer;
  const args = Object.entries(slice.args).filter(([, value]) => value !== null && value !== "");
  const stack = args.find(([name]) => isStack(name));
  const lines = stack
    ? text(stack[1])
        .split(/;\r?\n|\r?\n|;\s*(?=\S+\()/)
        .map((line) => line.trim())
        .filter((line) => line !== "")
    : [];
  const others = args.filter(([name]) => !isStack(name));
  const raw = BigInt(board.profile.origin) + BigInt(Math.round(slice.begin));
  return (
    <div class="details">
      <div class="column">
        <h2>{slice.name}</h2>
        <div class="toolbar">
          <button type="button" onClick={() => board.fit()}>
            {t("fit")}
          </button>
          <button type="button" onClick={() => selectRange(board)}>
            {t("range")}
          </button>
          {board.profile.ranks.length > 1 && (
            <>
              {layer === "communication" && (
                <a class="button" href={link({ params: { ...scope.value.params, tab: "collective" } })}>
                  {t("collective")}
                </a>
              )}
              <button type="button" onClick={() => void align(board, "start")}>
                {t("alignStart")}
              </button>
              <button type="button" onClick={() => void align(board, "end")}>
                {t("alignEnd")}
              </button>
            </>
          )}
        </div>
        <dl class="numbers">
          <dt>{t("duration")}</dt>
          <dd>
            {duration(slice.end - slice.begin)} <span class="hint">{count(slice.end - slice.begin)} ns</span>
          </dd>
          <dt>{t("self")}</dt>
          <dd>{duration(slice.self_ns)}</dd>
          <dt>{t("start")}</dt>
          <dd>{timeText(slice.begin, slice)}</dd>
          <dt>{t("raw")}</dt>
          <dd>{String(raw)} ns</dd>
          <dt>{t("lane")}</dt>
          <dd>{[slice.process, slice.lane_name].filter((part) => part !== "").join(" / ")}</dd>
          <dt>{t("rank")}</dt>
          <dd>{slice.rank}</dd>
        </dl>
      </div>
      <div class="column">
        <h3>{t("args")}</h3>
        {others.length === 0 && <p class="hint">{t("noArgs")}</p>}
        <dl class="numbers">
          {others.map(([name, value]) => [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{text(value)}</dd>])}
        </dl>
      </div>
      {lines.length > 0 && (
        <div class="column">
          <h3>{t("stack")}</h3>
          <ol class="stack">
            {lines.map((line, at) => (
              <li key={at}>{line}</li>
            ))}
          </ol>
        </div>
      )}
      {slice.flows.length > 0 && (
        <div class="column">
          <h3>{t("flows")}</h3>
          <ul class="flows">
            {slice.flows.map((flow) => (
              <li key={`${flow.slice} ${flow.kind} ${flow.outgoing}`}>
                <span class="chip">{flow.outgoing ? `→ ${t("to")}` : `← ${t("from")}`}</span>{" "}
                <JumpButton board={board} to={{ rank: slice.rank, slice: flow.slice, begin: flow.begin, end: flow.end }}>
                  {flow.name}
                </JumpButton>{" "}
                <span class="hint">
                  {flow.kind} · {duration(flow.end - flow.begin)}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
