// The answer to a query as a chart: a curve where x is a time, bars else.

import type { Profile } from "../../api/client";
import type { Table } from "../../api/table";
import { extent, numberRuler } from "../../components/axis";
import { BarChart } from "../../components/BarChart";
import { CurveChart } from "../../components/CurveChart";
import { choose, chooseRange, chosenRange, param } from "../../components/params";
import { Select } from "../../components/Select";
import { count, number } from "../../format";
import { texts } from "../../texts";
import { exact, isNumeric, isTime, timesFrom } from "./result";

const t = texts({
  en: {
    x: "X",
    y: "Y",
    none: "No column has numbers to draw.",
    label: "{y} by {x}",
    some: "The first {shown} of {all} {all:row|rows}.",
  },
  zh: {
    x: "X",
    y: "Y",
    none: "没有可绘制的数值列。",
    label: "{y} 随 {x} 的变化",
    some: "{all} 行中的前 {shown} 行。",
  },
});

/** Bars drawn at most. */
const MOST_BARS = 100;

export function Chart({ table, profile }: { table: Table; profile: Profile }) {
  const numeric = table.names.filter((name) => isNumeric(table, name) && !isTime(table, name));
  const time = table.names.find((name) => isTime(table, name));
  const x = table.names.find((name) => name === param("x")) ?? time ?? table.names[0] ?? "";
  const y = numeric.find((name) => name === param("y")) ?? numeric.filter((name) => name !== x).at(-1) ?? numeric[0];
  if (y === undefined) return <p class="state">{t("none")}</p>;
  const options = (names: string[]) => names.map((value) => ({ value, label: value }));
  return (
    <>
      <div class="toolbar">
        <Select label={t("x")} value={x} options={options(table.names)} onChange={(x) => choose({ x })} />
        <Select label={t("y")} value={y} options={options(numeric)} onChange={(y) => choose({ y })} />
      </div>
      {isTime(table, x) ? <Curve table={table} x={x} y={y} profile={profile} /> : <Bars table={table} x={x} y={y} />}
    </>
  );
}

interface Axes {
  table: Table;
  x: string;
  y: string;
}

function Bars({ table, x, y }: Axes) {
  const [names, values] = [table.column(x), table.numbers(y)];
  const bars = Array.from(values.subarray(0, MOST_BARS), (value, at) => ({ key: String(at), name: exact(names[at]), value }));
  const some = values.length > MOST_BARS && t("some", { shown: count(MOST_BARS), all: count(values.length) });
  return <BarChart label={t("label", { x, y })} caption={some || undefined} bars={bars} format={number} />;
}

function Curve({ table, x, y, profile }: Axes & { profile: Profile }) {
  const [times, values] = [timesFrom(table, x, profile.origin), table.numbers(y)];
  const order = [...times.keys()]
    .filter((at) => !Number.isNaN((times[at] as number) + (values[at] as number)))
    .sort((a, b) => (times[a] as number) - (times[b] as number));
  const curve = {
    name: y,
    colour: "var(--computing)",
    times: order.map((at) => times[at] as number),
    values: order.map((at) => values[at] as number),
  };
  return (
    <CurveChart
      label={t("label", { x, y })}
      curves={[curve]}
      range={extent(curve.times) ?? { begin: 0, end: 1 }}
      zoom={chosenRange("zoom")}
      onZoom={(range) => chooseRange("zoom", range)}
      format={number}
      ruler={numberRuler}
    />
  );
}
