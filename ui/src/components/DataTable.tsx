// A table that sorts, filters, copies and exports. Only the rows in sight are in the document.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { asNumber, type Row, type Table } from "../api/table";
import { count } from "../format";
import { download } from "../shell/download";
import { Icon } from "../shell/Icon";
import { definition, type TermKey } from "../terms";
import { texts } from "../texts";
import { type Kind, ordered, type Sort, shown, written } from "./rows";

const t = texts({
  en: {
    rows: "{count} {count:row|rows}",
    some: "{count} of {all} {all:row|rows}",
    filter: "Filter",
    copy: "Copy",
    copied: "Copied",
    csv: "CSV",
    export: "Export table as {name}.csv",
    copyAll: "Copy table: {name}",
    filterOf: "Filter by {column}",
    textHint: "contains",
    numberHint: ">1, <5",
    none: "No rows match the filters.",
    empty: "No rows.",
  },
  zh: {
    rows: "{count} 行",
    some: "共 {all} 行，显示 {count} 行",
    filter: "筛选",
    copy: "复制",
    copied: "已复制",
    csv: "CSV",
    export: "将表格导出为 {name}.csv",
    copyAll: "复制表格：{name}",
    filterOf: "按{column}筛选",
    textHint: "包含",
    numberHint: ">1，<5",
    none: "没有满足筛选条件的行。",
    empty: "没有数据行。",
  },
});

const ROW_HEIGHT = 26;
/** Rows drawn above and below those in sight. */
const MARGIN = 8;
const WIDTHS: Record<Kind, number> = { text: 220, duration: 104, bytes: 100, count: 88, share: 104, number: 96, time: 132 };

export interface Column {
  name: string;
  label: string;
  kind: Kind;
  /** Where the cell leads. */
  link?: (row: Row) => string | null;
  /** In pixels; others share what is left in proportion. */
  width?: number;
  /** What the numbers are: the definition is shown on hover of the heading. */
  term?: TermKey;
  /** What to draw instead of the value. */
  cell?: (row: Row) => ComponentChildren;
}

interface Props {
  table: Table;
  columns: Column[];
  /** What the rows are: the label of the table and the name of its csv file. */
  name: string;
  /** Called when a row is chosen. */
  onRow?: (row: Row) => void;
  /** How it is sorted at first. */
  sort?: Sort;
  /** The most that it is high, in pixels. */
  height?: number;
  /** The row that is chosen. */
  isChosen?: (row: Row) => boolean;
}

export function DataTable({ table, columns: wanted, name, onRow, sort: first, height = 420, isChosen }: Props) {
  const columns = wanted.filter((column) => table.has(column.name) || column.cell);
  const sort = useSignal<Sort | null>(first ?? null);
  const filters = useSignal<Record<string, string>>({});
  const hasFilters = useSignal(false);
  const top = useSignal(0);
  const seen = useSignal(height);
  const isCopied = useSignal(false);
  const frame = useRef<HTMLDivElement>(null);
  const kinds = Object.fromEntries(columns.map((column) => [column.name, column.kind]));
  const applied = hasFilters.value ? filters.value : {};
  const rows = useMemo(
    () => ordered(table, kinds, applied, sort.value),
    [table, sort.value, hasFilters.value, filters.value, columns.map((column) => column.kind).join()],
  );
  const largest = useMemo(() => {
    const shares = columns.filter((column) => column.kind === "share");
    return Object.fromEntries(shares.map(({ name }) => [name, table.numbers(name).reduce((a, b) => Math.max(a, b || 0), 0)]));
  }, [table]);

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const watcher = new ResizeObserver(() => (seen.value = element.clientHeight));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  useEffect(() => {
    if (frame.current) frame.current.scrollTop = 0;
  }, [table, sort.value, filters.value]);

  const from = Math.max(0, Math.floor(top.value / ROW_HEIGHT) - MARGIN);
  const to = Math.min(rows.length, Math.ceil((top.value + seen.value) / ROW_HEIGHT) + MARGIN);
  const width = columns.reduce((sum, column) => sum + (column.width ?? WIDTHS[column.kind]), 0);

  const sortBy = (column: Column) => {
    const isText = column.kind === "text";
    const now = sort.value;
    if (now?.name !== column.name) sort.value = { name: column.name, isDescending: !isText };
    else sort.value = now.isDescending === isText ? null : { name: column.name, isDescending: isText };
  };
  const names = columns.map((column) => column.name).filter((name) => table.has(name));
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(written(table, names, rows, "\t"));
      isCopied.value = true;
      setTimeout(() => (isCopied.value = false), 1500);
    } catch {
      // Browsers refuse outside https and localhost; the csv is still there.
    }
  };

  /** Arrows go from row to row. */
  const onKey = (event: KeyboardEvent) => {
    const distance = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    const row = (event.target as Element).closest("tr[data-at]");
    if (distance === undefined || !row || !frame.current) return;
    event.preventDefault();
    const at = Math.max(0, Math.min(rows.length - 1, Number(row.getAttribute("data-at")) + distance));
    const head = frame.current.querySelector("thead")?.clientHeight ?? 0;
    const y = at * ROW_HEIGHT;
    if (y < frame.current.scrollTop) frame.current.scrollTop = y;
    const bottom = frame.current.scrollTop + frame.current.clientHeight - head;
    if (y + ROW_HEIGHT > bottom) frame.current.scrollTop += y + ROW_HEIGHT - bottom;
    top.value = frame.current.scrollTop;
    requestAnimationFrame(() => {
      const target = frame.current?.querySelector<HTMLElement>(`tr[data-at="${at}"] :is(a, button)`);
      target?.focus({ preventScroll: true });
    });
  };

  const content = (column: Column, row: Row, isFirst: boolean): ComponentChildren => {
    if (column.cell) return column.cell(row);
    const text = shown(row[column.name], column.kind);
    const href = column.link?.(row);
    if (href) return <a href={href}>{text}</a>;
    if (isFirst && onRow) {
      return (
        <button type="button" class="plain" onClick={() => onRow(row)}>
          {text}
        </button>
      );
    }
    return text;
  };

  return (
    <div class="data-table">
      <div class="bar">
        <span role="status">
          {rows.length === table.length
            ? t("rows", { count: count(table.length) })
            : t("some", { count: count(rows.length), all: count(table.length) })}
        </span>
        <span class="space" />
        <button type="button" aria-pressed={hasFilters.value} onClick={() => (hasFilters.value = !hasFilters.value)}>
          <Icon name="filter" /> {t("filter")}
        </button>
        <button type="button" aria-label={t("copyAll", { name })} onClick={copy}>
          <Icon name="copy" /> {isCopied.value ? t("copied") : t("copy")}
        </button>
        <button
          type="button"
          aria-label={t("export", { name })}
          onClick={() => download(`${name}.csv`, "text/csv", written(table, names, rows, ","))}
        >
          <Icon name="download" /> {t("csv")}
        </button>
      </div>
      <div
        class="scroll"
        ref={frame}
        role="region"
        aria-label={name}
        tabIndex={0}
        style={{ maxHeight: `${height}px` }}
        onScroll={(event) => (top.value = event.currentTarget.scrollTop)}
        onKeyDown={onKey}
      >
        <table style={{ minWidth: `${width}px` }} aria-rowcount={rows.length + 1}>
          <colgroup>
            {columns.map((column) => (
              <col key={column.name} style={{ width: `${column.width ?? WIDTHS[column.kind]}px` }} />
            ))}
          </colgroup>
          <thead>
            <tr>
              {columns.map((column) => {
                const isSorted = sort.value?.name === column.name;
                const order = sort.value?.isDescending ? "descending" : "ascending";
                return (
                  <th
                    key={column.name}
                    scope="col"
                    class={column.kind === "text" ? undefined : "number"}
                    aria-sort={isSorted ? order : undefined}
                    title={column.term && definition(column.term)}
                  >
                    {table.has(column.name) ? (
                      <button type="button" class="plain" onClick={() => sortBy(column)}>
                        {column.label}
                        {isSorted && <span aria-hidden="true">{sort.value?.isDescending ? " ▾" : " ▴"}</span>}
                      </button>
                    ) : (
                      column.label
                    )}
                  </th>
                );
              })}
            </tr>
            {hasFilters.value && (
              <tr class="filters">
                {columns.map((column) => (
                  <td key={column.name}>
                    {table.has(column.name) && (
                      <input
                        type="search"
                        aria-label={t("filterOf", { column: column.label })}
                        placeholder={column.kind === "text" ? t("textHint") : t("numberHint")}
                        value={filters.value[column.name] ?? ""}
                        onInput={(event) => (filters.value = { ...filters.value, [column.name]: event.currentTarget.value })}
                      />
                    )}
                  </td>
                ))}
              </tr>
            )}
          </thead>
          <tbody>
            {from > 0 && <tr aria-hidden="true" style={{ height: `${from * ROW_HEIGHT}px` }} />}
            {rows.slice(from, to).map((index, place) => {
              const row = table.row(index);
              return (
                <tr
                  key={index}
                  data-at={from + place}
                  aria-rowindex={from + place + 2}
                  class={onRow ? (isChosen?.(row) ? "chooses chosen" : "chooses") : undefined}
                  onClick={(event) => {
                    if (onRow && !(event.target as Element).closest("a, button, input")) onRow(row);
                  }}
                >
                  {columns.map((column, at) => {
                    const value = shown(row[column.name], column.kind);
                    const part = asNumber(row[column.name]) / (largest[column.name] || 1);
                    const bar = column.kind === "share" && part > 0 ? { "--part": `${Math.min(part, 1) * 100}%` } : undefined;
                    return (
                      <td
                        key={column.name}
                        class={column.kind === "text" ? undefined : bar ? "number share" : "number"}
                        style={bar}
                        title={column.cell ? undefined : value}
                      >
                        {content(column, row, at === 0)}
                      </td>
                    );
                  })}
                </tr>
              );
            })}
            {to < rows.length && <tr aria-hidden="true" style={{ height: `${(rows.length - to) * ROW_HEIGHT}px` }} />}
          </tbody>
        </table>
        {rows.length === 0 && <p class="state">{table.length === 0 ? t("empty") : t("none")}</p>}
      </div>
    </div>
  );
}
