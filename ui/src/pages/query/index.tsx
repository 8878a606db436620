// Queries in SQL, their results as a table, a chart or a lane of the timeline. The SQL is in the address.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api, type Cut, type Profile, reason } from "../../api/client";
import type { Table } from "../../api/table";
import { DataTable } from "../../components/DataTable";
import { Loaded } from "../../components/Loaded";
import { choose, param } from "../../components/params";
import { duration } from "../../format";
import { link, scope } from "../../scope";
import { Icon } from "../../shell/Icon";
import { listed, texts } from "../../texts";
import { Chart } from "./Chart";
import { recentQueries, EXAMPLES, exampleName, remember } from "./examples";
import { exact, isNumeric, lacksForLane } from "./result";
import { Tables } from "./Tables";
import "./query.css";

const t = texts({
  en: {
    title: "Query",
    hint: "Times are ns since the epoch, durations are in ns, sizes in bytes. Every table has a column rank.",
    sql: "SQL",
    run: "Run",
    runKey: "Ctrl Enter",
    stop: "Stop",
    stopped: "The query was stopped.",
    examples: "Examples",
    history: "Recent queries",
    choose: "select …",
    asking: "Running …",
    took: "took {time}",
    failed: "The query failed",
    table: "Table",
    chart: "Chart",
    lane: "Show as lane",
    lacks: "A lane needs the columns rank, start, duration and name. Missing: {names}",
    result: "result",
    start: "Write a query and press Ctrl Enter, or select an example.",
    cut: "Only the first {limit} rows are shown.",
    cutBytes: "Only the first {limit} rows are shown: the complete result would exceed 256 MB. Select fewer columns.",
    origin: "the profile",
  },
  zh: {
    title: "查询",
    hint: "时间为自 epoch 起的纳秒数，时长的单位为纳秒，大小的单位为字节。每张表都有 rank 列。",
    sql: "SQL",
    run: "运行",
    runKey: "Ctrl Enter",
    stop: "停止",
    stopped: "查询已停止。",
    examples: "示例",
    history: "历史查询",
    choose: "选择……",
    asking: "正在查询……",
    took: "耗时 {time}",
    failed: "查询失败",
    table: "表格",
    chart: "图表",
    lane: "显示为泳道",
    lacks: "泳道需要 rank、start、duration 和 name 列；缺少：{names}",
    result: "查询结果",
    start: "输入查询并按 Ctrl Enter，或选择一个示例。",
    cut: "只显示前 {limit} 行。",
    cutBytes: "只显示前 {limit} 行：完整结果将超过 256 MB，请减少所选的列。",
    origin: "profile",
  },
});

/** Rows that are asked for at most. */
const LIMIT = 100_000;

type Answer = { table: Table; cut: Cut | null; sql: string; ms: number } | { error: unknown } | "coming" | "stopped" | null;

export function Query() {
  const params = scope.value.params;
  const sql = useSignal(params.sql ?? "");
  const answer = useSignal<Answer>(null);
  const before = useSignal(recentQueries());
  const editor = useRef<HTMLTextAreaElement>(null);
  const asking = useRef<AbortController | null>(null);
  // The answer is not shown on another page.
  useEffect(() => () => asking.current?.abort(), []);

  const ask = async (text: string) => {
    const wanted = text.trim().replace(/;\s*$/, "");
    if (wanted === "") return;
    sql.value = text;
    if (wanted !== scope.value.params.sql) choose({ sql: wanted, x: null, y: null, zoom: null });
    asking.current?.abort();
    const stopper = new AbortController();
    asking.current = stopper;
    answer.value = "coming";
    const begin = performance.now();
    try {
      const { table, cut } = await api.stoppableQuery(wanted, LIMIT, stopper.signal);
      answer.value = { table, cut, sql: wanted, ms: performance.now() - begin };
      before.value = remember(wanted);
    } catch (error) {
      if (asking.current !== stopper) return;
      if (stopper.signal.aborted) answer.value = "stopped";
      else answer.value = { error };
    }
  };
  // A link with a query shows its answer; so does going back to one.
  useEffect(() => {
    const isAnswered = answer.value !== null && typeof answer.value === "object" && "sql" in answer.value && answer.value.sql === params.sql;
    if (params.sql && answer.value !== "coming" && !isAnswered) ask(params.sql);
  }, [params.sql]);

  const insert = (text: string) => {
    const area = editor.current;
    if (!area) return;
    area.focus();
    area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
    sql.value = area.value;
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    ask(sql.value);
  };

  return (
    <div class="query">
      <Tables onInsert={insert} />
      <div class="page">
        <div class="page-head">
          <h1>{t("title")}</h1>
          <p class="hint">{t("hint")}</p>
        </div>
        <textarea
          ref={editor}
          aria-label={t("sql")}
          placeholder="SELECT op_type, sum(duration) FROM kernel GROUP BY op_type"
          spellcheck={false}
          autocapitalize="off"
          rows={Math.min(14, Math.max(5, sql.value.split("\n").length + 1))}
          value={sql.value}
          onInput={(event) => (sql.value = event.currentTarget.value)}
          onKeyDown={onKey}
        />
        <div class="toolbar">
          <button type="button" class="primary" onClick={() => ask(sql.value)} disabled={answer.value === "coming"}>
            <Icon name="play" size={13} /> {t("run")}
          </button>
          {answer.value === "coming" && (
            <button type="button" onClick={() => asking.current?.abort()}>
              <Icon name="close" size={13} /> {t("stop")}
            </button>
          )}
          <kbd>{t("runKey")}</kbd>
          <Choice label={t("examples")} choices={EXAMPLES.map(([name, sql]) => [exampleName(name), sql])} onChoose={ask} />
          {before.value.length > 0 && (
            <Choice label={t("history")} choices={before.value.map((sql) => [sql.replace(/\s+/g, " ").slice(0, 80), sql])} onChoose={ask} />
          )}
        </div>
        <Answered answer={answer.value} />
      </div>
    </div>
  );
}

/** A list that does something when chosen from, and then is as it was. */
function Choice({ label, choices, onChoose }: { label: string; choices: [string, string][]; onChoose: (sql: string) => void }) {
  return (
    <label class="select">
      <span>{label}</span>
      <select
        value=""
        onChange={({ currentTarget }) => {
          onChoose(currentTarget.value);
          currentTarget.value = "";
        }}
      >
        <option value="">{t("choose")}</option>
        {choices.map(([name, sql]) => (
          <option key={sql} value={sql}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Answered({ answer }: { answer: Answer }) {
  if (answer === null) return <p class="state">{t("start")}</p>;
  if (answer === "coming") {
    return (
      <p class="state" role="status">
        <span class="spinner" aria-hidden="true" /> {t("asking")}
      </p>
    );
  }
  if (answer === "stopped") {
    return (
      <p class="state" role="status">
        {t("stopped")}
      </p>
    );
  }
  if ("error" in answer) {
    return (
      <div class="state failed" role="alert">
        <strong>{t("failed")}</strong>
        <pre>{reason(answer.error)}</pre>
      </div>
    );
  }
  const { table, cut, sql, ms } = answer;
  const isChart = param("show") === "chart";
  const lacks = lacksForLane(table);
  return (
    <>
      <div class="toolbar" role="group" aria-label={t("result")}>
        <button type="button" aria-pressed={!isChart} onClick={() => choose({ show: null })}>
          <Icon name="operators" size={13} /> {t("table")}
        </button>
        <button type="button" aria-pressed={isChart} onClick={() => choose({ show: "chart" })}>
          <Icon name="overview" size={13} /> {t("chart")}
        </button>
        {lacks.length === 0 ? (
          <a class="button" href={link({ page: "timeline", params: { lane: sql } })}>
            <Icon name="timeline" size={13} /> {t("lane")}
          </a>
        ) : (
          <span class="hint">{t("lacks", { names: listed(lacks) })}</span>
        )}
        <span class="space" />
        <span class="hint">{t("took", { time: duration(ms * 1e6) })}</span>
      </div>
      {cut && <p class="hint">{t(cut === "rows" ? "cut" : "cutBytes", { limit: table.length })}</p>}
      {isChart ? (
        <Loaded load={api.profile} of={[]} what={t("origin")}>
          {(profile: Profile) => <Chart table={table} profile={profile} />}
        </Loaded>
      ) : (
        <DataTable
          key={sql}
          table={table}
          name={t("result")}
          height={560}
          columns={table.names.map((name) => ({
            name,
            label: name,
            kind: isNumeric(table, name) ? ("number" as const) : ("text" as const),
            width: isNumeric(table, name) ? 172 : 260,
            cell: (row) => exact(row[name]),
          }))}
        />
      )}
    </>
  );
}
