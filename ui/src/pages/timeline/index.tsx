// The timeline: minimap, lane tree and canvas, and the panel with details of what is selected.

import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Profile, reason } from "../../api/client";
import { Loading } from "../../components/Loaded";
import { profile } from "../../shell/profile";
import { formatRanks, link } from "../../scope";
import { texts } from "../../texts";
import { Board } from "./board";
import { onTimelineKeys } from "./keys";
import { Minimap } from "./Minimap";
import { Panel } from "./Panel";
import { Search } from "./search";
import { LaneCanvas } from "./LaneCanvas";
import { GO_TO_ID, Toolbar } from "./Toolbar";
import { Tree } from "./Tree";
import "./timeline.css";

const t = texts({
  en: {
    title: "Timeline",
    what: "the profile",
    noRanks: "The profile has no ranks, so there is nothing to draw. The page “Data health” lists what was read.",
    tiles: "Could not load part of the timeline, retrying: {why}",
    elsewhere: "The query returned rows only for ranks that are not shown: {ranks}.",
    show: "Show them",
    query: "Could not read the query lane: {why}",
  },
  zh: {
    title: "时间线",
    what: "profile",
    noRanks: "该 profile 没有 rank，没有可绘制的内容。“数据健康”页面列出了已读取的内容。",
    tiles: "部分时间线加载失败，正在重试：{why}",
    elsewhere: "查询结果仅属于未显示的 rank：{ranks}。",
    show: "显示",
    query: "无法读取查询泳道：{why}",
  },
});

export function Timeline() {
  const found = profile.value;
  if (!found) return <Loading what={t("what")} />;
  if (found.ranks.length === 0) {
    return (
      <div class="page">
        <h1>{t("title")}</h1>
        <p class="state missing" role="note">
          {t("noRanks")}
        </p>
      </div>
    );
  }
  return <Lanes profile={found} />;
}

/** Says that the server does not answer; what was fetched before stays. */
function TileError({ board }: { board: Board }) {
  board.fresh.value;
  const error = [...board.ranks.values()].map((rank) => rank.bars.error).find((error) => error !== null);
  useEffect(() => {
    if (!error) return;
    const timer = setInterval(() => board.fresh.value++, 5000);
    return () => clearInterval(timer);
  }, [error]);
  return error ? (
    <p class="note-bar" role="alert">
      {t("tiles", { why: reason(error) })}
    </p>
  ) : null;
}

function Lanes({ profile }: { profile: Profile }) {
  const board = useMemo(() => new Board(profile), [profile]);
  const search = useMemo(() => new Search(board), [board]);
  const scroller = useRef<HTMLDivElement>(null);
  const tree = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const stop = onTimelineKeys(board, search, () => document.getElementById(GO_TO_ID)?.focus());
    return () => {
      stop();
      search.close();
      board.close();
    };
  }, [board, search]);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    board.scroller = element;
    const measure = () => {
      const width = element.clientWidth - (tree.current?.clientWidth ?? 0);
      board.size.value = { width, height: element.clientHeight };
    };
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    measure();
    return () => watcher.disconnect();
  }, [board]);
  const elsewhere = board.queryElsewhere.value;
  return (
    <div class="timeline">
      <h1 class="sr-only">{t("title")}</h1>
      <Toolbar board={board} search={search} />
      <TileError board={board} />
      {board.queryError.value !== null && (
        <p class="note-bar" role="alert">
          {t("query", { why: reason(board.queryError.value) })}
        </p>
      )}
      {elsewhere.length > 0 && (
        <p class="note-bar" role="status">
          {t("elsewhere", { ranks: formatRanks(elsewhere) })} <a href={link({ ranks: elsewhere, rank: null })}>{t("show")}</a>
        </p>
      )}
      <Minimap board={board} search={search} />
      <div class="lanes" ref={scroller} onScroll={(event) => (board.scroll.value = event.currentTarget.scrollTop)}>
        <div class="tree-column" ref={tree}>
          <Tree board={board} />
        </div>
        <LaneCanvas board={board} search={search} />
      </div>
      <Panel board={board} search={search} />
    </div>
  );
}
