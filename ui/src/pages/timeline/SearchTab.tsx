// The search: its text, how many hits each rank has, and the hits.

import { useEffect } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { reason } from "../../api/client";
import { Table } from "../../api/table";
import { type Column, DataTable } from "../../components/DataTable";
import { Loading } from "../../components/Loaded";
import { count } from "../../format";
import { colon, texts } from "../../texts";
import type { Board } from "./board";
import type { Search } from "./search";

const t = texts({
  en: {
    label: "Search slices of all ranks",
    hint: "name, or name~matmul dur>1ms rank:0-7 lane:stream",
    find: "Search",
    none: "No slice matches.",
    what: "hits",
    failed: "Search failed: {why}",
    count: "{count} {count:hit|hits}",
    some: "; the first {shown} are listed",
    byRank: "Hits by rank",
    rank: "Rank",
    name: "Name",
    start: "Start",
    duration: "Duration",
  },
  zh: {
    label: "在所有 rank 中搜索切片",
    hint: "名称，或 name~matmul dur>1ms rank:0-7 lane:stream",
    find: "搜索",
    none: "没有匹配的切片。",
    what: "结果",
    failed: "搜索失败：{why}",
    count: "{count} 个结果",
    some: "，列出前 {shown} 个",
    byRank: "各 rank 的结果数",
    rank: "rank",
    name: "名称",
    start: "开始",
    duration: "时长",
  },
});

export function SearchTab({ board, search }: { board: Board; search: Search }) {
  const text = useSignal(search.text.value);
  useEffect(() => {
    text.value = search.text.value;
  }, [search.text.value]);
  const submit = (event: Event) => {
    event.preventDefault();
    board.keep({}, {}, { q: text.value.trim() });
  };
  return (
    <div class="search-tab">
      <form class="toolbar" onSubmit={submit}>
        <input
          type="search"
          size={44}
          aria-label={t("label")}
          placeholder={t("hint")}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
        <button type="submit">{t("find")}</button>
        <ByRank search={search} />
      </form>
      <Hits search={search} />
    </div>
  );
}

function ByRank({ search }: { search: Search }) {
  const found = search.found.value;
  if (!found || found.by_rank.length < 2) return null;
  const most = Math.max(...found.by_rank.map((rank) => rank.count), 1);
  return (
    <ul class="by-rank" aria-label={t("byRank")}>
      {found.by_rank.slice(0, 64).map(({ rank, count: hits }) => (
        <li key={rank} title={`${t("rank")} ${rank}${colon()}${count(hits)}`}>
          <span class="bar" style={{ height: `${Math.max((hits / most) * 100, hits > 0 ? 6 : 0)}%` }} />
          <span class="sr-only">{`${t("rank")} ${rank}${colon()}${count(hits)}`}</span>
        </li>
      ))}
    </ul>
  );
}

function Hits({ search }: { search: Search }) {
  const found = search.found.value;
  if (search.error.value !== null)
    return (
      <p class="state failed" role="alert">
        {t("failed", { why: reason(search.error.value) })}
      </p>
    );
  if (search.isBusy.value) return <Loading what={t("what")} />;
  if (!found) return null;
  if (found.count === 0) return <p class="state">{t("none")}</p>;
  const { hits } = found;
  const table = new Table(
    new Map<string, ArrayLike<unknown>>([
      ["name", hits.map((hit) => hit.name)],
      ["start", hits.map((hit) => hit.begin)],
      ["duration", hits.map((hit) => hit.end - hit.begin)],
      ["rank", hits.map((hit) => hit.rank)],
      ["at", hits.map((_, at) => at)],
    ]),
  );
  const columns: Column[] = [
    { name: "name", label: t("name"), kind: "text", width: 360 },
    { name: "start", label: t("start"), kind: "time" },
    { name: "duration", label: t("duration"), kind: "duration" },
    { name: "rank", label: t("rank"), kind: "count", width: 60 },
  ];
  return (
    <>
      <p class="hint">
        {t("count", { count: count(found.count) })}
        {found.count > hits.length && t("some", { shown: count(hits.length) })}
      </p>
      <DataTable
        table={table}
        columns={columns}
        name={t("what")}
        height={2000}
        onRow={(row) => void search.goTo(Number(row.at))}
        isChosen={(row) => row.at === search.at.value}
      />
    </>
  );
}
