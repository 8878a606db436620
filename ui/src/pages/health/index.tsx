// The profile that is open, and the health of its data: what is there, what is missing, what could not be read.

import { api, type Health, type RankHealth, type Profile } from "../../api/client";
import type { Row } from "../../api/table";
import { Card } from "../../components/Card";
import { type Column, DataTable } from "../../components/DataTable";
import { tableOf } from "../../components/derived";
import { Loaded } from "../../components/Loaded";
import { bytes, count, duration } from "../../format";
import { formatRanks, go, link, scope } from "../../scope";
import { Icon } from "../../shell/Icon";
import { bracketed, listed, messageText, texts } from "../../texts";
import { Missing } from "./Missing";
import "./health.css";

const t = texts({
  en: {
    what: "the data health",
    title: "Data health",
    profile: "Profile",
    path: "Path",
    format: "Format",
    framework: "Framework",
    level: "Level",
    ranks: "Ranks",
    ranksTitle: "Ranks",
    steps: "Steps",
    size: "Size",
    span: "Time covered",
    rankTable: "ranks",
    rank: "Rank",
    device: "Device",
    host: "Host",
    chip: "Chip",
    directory: "Directory",
    missing: "Missing",
    diagnostics: "Diagnostics",
    noDiagnostics: "All files were read without errors or warnings.",
    severity: "Severity",
    error: "error",
    warning: "warning",
    info: "info",
    code: "Code",
    file: "File",
    message: "Message",
    filesOf: "Files of rank {rank}",
    rowsOf: "Rows read from rank {rank}",
    fileTable: "files of rank {rank}",
    kind: "Deliverable",
    rows: "Rows",
    bytes: "Size",
    unread: "Unread columns",
    table: "Table",
    timeline: "Timeline of rank {rank}",
    unknown: "unknown",
  },
  zh: {
    what: "数据健康状况",
    title: "数据健康",
    profile: "profile",
    path: "路径",
    format: "格式",
    framework: "框架",
    level: "级别",
    ranks: "rank",
    ranksTitle: "各 rank",
    steps: "step",
    size: "大小",
    span: "覆盖时间",
    rankTable: "rank 列表",
    rank: "rank",
    device: "设备",
    host: "主机",
    chip: "芯片",
    directory: "目录",
    missing: "缺少",
    diagnostics: "诊断信息",
    noDiagnostics: "所有文件均已读取，没有错误或警告。",
    severity: "严重程度",
    error: "错误",
    warning: "警告",
    info: "提示",
    code: "类型",
    file: "文件",
    message: "说明",
    filesOf: "rank {rank} 的文件",
    rowsOf: "从 rank {rank} 读取的行数",
    fileTable: "rank {rank} 的文件",
    kind: "交付件",
    rows: "行数",
    bytes: "大小",
    unread: "未读取的列",
    table: "表",
    timeline: "rank {rank} 的时间线",
    unknown: "未知",
  },
});

export function DataHealth() {
  return (
    <div class="page health">
      <h1>{t("title")}</h1>
      <Loaded load={() => Promise.all([api.profile(), api.health()])} of={[]} what={t("what")}>
        {([profile, health]) => <Shown profile={profile} health={health} />}
      </Loaded>
    </div>
  );
}

function Shown({ profile, health }: { profile: Profile; health: Health }) {
  const chosen = health.ranks.find((rank) => rank.rank === scope.value.rank) ?? health.ranks[0];
  return (
    <>
      <div class="cards">
        <Facts profile={profile} health={health} />
        <Missing health={health} />
      </div>
      <Card title={t("ranksTitle")}>
        <Ranks health={health} chosen={chosen?.rank ?? null} />
      </Card>
      {chosen && <Files of={chosen} />}
      <Card title={t("diagnostics")}>
        <Diagnostics health={health} />
      </Card>
    </>
  );
}

/** The values that ranks have, each once. */
function all(health: Health, of: (rank: RankHealth) => string | null): string {
  const values = [...new Set(health.ranks.map(of).filter((value) => value !== null && value !== ""))];
  return values.length === 0 ? t("unknown") : listed(values as string[]);
}

const sizeOf = (rank: RankHealth) => rank.files.reduce((sum, file) => sum + (file.bytes ?? 0), 0);

function Facts({ profile, health }: { profile: Profile; health: Health }) {
  const framework = (rank: RankHealth) => [rank.framework, rank.framework_version].filter((part) => part !== null).join(" ");
  const cann = (rank: RankHealth) => (rank.cann_version === null ? null : `CANN ${rank.cann_version}`);
  const [cannText, chipText] = [all(health, cann), all(health, (rank) => rank.chip)];
  const facts: [string, string][] = [
    [t("path"), health.path],
    [t("format"), all(health, (rank) => rank.format)],
    [t("framework"), listed([all(health, framework), cannText].filter((text) => text !== t("unknown"))) || t("unknown")],
    [t("chip"), chipText],
    [t("level"), all(health, (rank) => rank.level)],
    [t("ranks"), `${health.ranks.length}${bracketed(formatRanks(health.ranks.map((rank) => rank.rank)))}`],
    [t("steps"), profile.steps.length === 0 ? "0" : `${profile.steps.length}${bracketed(formatRanks(profile.steps))}`],
    [t("size"), bytes(health.ranks.reduce((sum, rank) => sum + sizeOf(rank), 0))],
    [t("span"), profile.span ? duration(profile.span[1] - profile.span[0]) : t("unknown")],
  ];
  return (
    <Card title={profile.name ?? t("profile")}>
      <dl class="numbers">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function Ranks({ health, chosen }: { health: Health; chosen: number | null }) {
  const { ranks } = health;
  const table = tableOf({
    rank: ranks.map((rank) => rank.rank),
    host: ranks.map((rank) => rank.host),
    device: ranks.map((rank) => rank.device),
    chip: ranks.map((rank) => rank.chip),
    format: ranks.map((rank) => rank.format),
    level: ranks.map((rank) => rank.level),
    steps: ranks.map((rank) => rank.steps.length),
    bytes: ranks.map(sizeOf),
    missing: ranks.map((rank) => rank.missing.length),
    diagnostics: ranks.map((rank) => rank.diagnostics.length),
    directory: ranks.map((rank) => rank.directory),
  });
  const columns: Column[] = [
    { name: "rank", label: t("rank"), kind: "count", width: 60 },
    { name: "host", label: t("host"), kind: "text", width: 120 },
    { name: "device", label: t("device"), kind: "count", width: 70 },
    { name: "chip", label: t("chip"), kind: "text", width: 100 },
    { name: "format", label: t("format"), kind: "text", width: 80 },
    { name: "level", label: t("level"), kind: "text", width: 100 },
    { name: "steps", label: t("steps"), kind: "count", width: 70 },
    { name: "bytes", label: t("bytes"), kind: "bytes" },
    { name: "missing", label: t("missing"), kind: "count", width: 80 },
    { name: "diagnostics", label: t("diagnostics"), kind: "count", width: 100 },
    { name: "directory", label: t("directory"), kind: "text", width: 320 },
  ];
  const choose = (row: Row) => go({ rank: Number(row.rank) });
  return (
    <DataTable
      table={table}
      columns={columns}
      name={t("rankTable")}
      height={300}
      onRow={choose}
      isChosen={(row) => row.rank === chosen}
    />
  );
}

function Files({ of }: { of: RankHealth }) {
  const { rank, files, rows } = of;
  const table = tableOf({
    file: files.map((file) => file.file),
    kind: files.map((file) => file.kind),
    bytes: files.map((file) => file.bytes),
    rows: files.map((file) => file.rows),
    unread: files.map((file) => file.unread.join(", ")),
  });
  const columns: Column[] = [
    { name: "file", label: t("file"), kind: "text", width: 320 },
    { name: "kind", label: t("kind"), kind: "text", width: 150 },
    { name: "bytes", label: t("bytes"), kind: "bytes" },
    { name: "rows", label: t("rows"), kind: "count" },
    { name: "unread", label: t("unread"), kind: "text", width: 160 },
  ];
  const toTimeline = (
    <a href={link({ page: "timeline", rank, view: null })}>
      {t("timeline", { rank })} <Icon name="arrow" size={12} />
    </a>
  );
  return (
    <Card title={t("filesOf", { rank })} tools={toTimeline}>
      <DataTable table={table} columns={columns} name={t("fileTable", { rank })} height={280} />
      <details class="read">
        <summary>{t("rowsOf", { rank })}</summary>
        <ul class="counts">
          {Object.entries(rows).map(([name, rows]) => (
            <li key={name}>
              <code>{name}</code> {count(rows)}
            </li>
          ))}
        </ul>
      </details>
    </Card>
  );
}

function Diagnostics({ health }: { health: Health }) {
  const diagnostics = [
    ...health.diagnostics.map((diagnostic) => ({ ...diagnostic, rank: null })),
    ...health.ranks.flatMap(({ rank, diagnostics }) => diagnostics.map((diagnostic) => ({ ...diagnostic, rank }))),
  ];
  if (diagnostics.length === 0) {
    return (
      <p class="complete">
        <Icon name="good" /> {t("noDiagnostics")}
      </p>
    );
  }
  const table = tableOf({
    severity: diagnostics.map((diagnostic) => t(diagnostic.severity)),
    rank: diagnostics.map((diagnostic) => diagnostic.rank),
    code: diagnostics.map((diagnostic) => diagnostic.code),
    file: diagnostics.map((diagnostic) => diagnostic.file),
    message: diagnostics.map((diagnostic) => messageText(diagnostic.message)),
  });
  const columns: Column[] = [
    { name: "severity", label: t("severity"), kind: "text", width: 90 },
    { name: "rank", label: t("rank"), kind: "count", width: 60 },
    { name: "code", label: t("code"), kind: "text", width: 140 },
    { name: "file", label: t("file"), kind: "text", width: 220 },
    { name: "message", label: t("message"), kind: "text", width: 420 },
  ];
  return <DataTable table={table} columns={columns} name={t("diagnostics")} height={300} />;
}
