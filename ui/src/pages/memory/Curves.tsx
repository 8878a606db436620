// Memory over time, of some ranks and one component.

import { useMemo } from "preact/hooks";
import type { Table } from "../../api/table";
import { byteRuler, extent } from "../../components/axis";
import { Card } from "../../components/Card";
import { CurveChart, type Mark } from "../../components/CurveChart";
import { choice, choose, chooseRange, chosenNumber, chosenRange, param } from "../../components/params";
import { Select } from "../../components/Select";
import { Viewed } from "../../components/Viewed";
import { bytes, time } from "../../format";
import { go, scope } from "../../scope";
import { profile } from "../../shell/profile";
import { language, texts } from "../../texts";
import { curvesOf, firstComponent, linesOf, MEASURES, highestSample } from "./curve";
import { DRAWN, drawnRanks } from "./ranks";

const t = texts({
  en: {
    title: "Memory over time",
    what: "memory curves",
    component: "Component",
    measure: "Show",
    all: "All",
    allocated: "allocated",
    reserved: "reserved",
    active: "active",
    line: "rank {rank} {measure}",
    highest: "highest sample {bytes}",
    range: "time range",
    at: "selected",
    caption: "Drag to zoom, double-click to show all, click a moment to see what holds the memory then. Dashed: reserved; dotted: active; shaded: reserved but not allocated.",
    summary: "Memory of {component}: {samples}",
    rankHighest: "rank {rank} reaches its highest sample, {bytes}, at {time}",
    some: "Only the first {count} ranks are drawn; {left} are not. Select ranks above.",
    between: "; ",
    whole: "Show all",
    take: "Use the zoom as time range",
  },
  zh: {
    title: "内存随时间的变化",
    what: "内存曲线",
    component: "组件",
    measure: "显示",
    all: "全部",
    allocated: "已分配",
    reserved: "已预留",
    active: "活跃",
    line: "rank {rank} {measure}",
    highest: "最高采样值 {bytes}",
    range: "时间范围",
    at: "选中",
    caption: "拖动可缩放，双击显示全部，单击某一时刻可查看当时的内存占用。虚线：已预留；点线：活跃；阴影：已预留但未分配。",
    summary: "{component} 的内存：{samples}",
    rankHighest: "rank {rank} 在 {time} 达到最高采样值 {bytes}",
    some: "只绘制前 {count} 个 rank，另有 {left} 个未绘制。可在上方选择 rank。",
    between: "；",
    whole: "显示全部",
    take: "将缩放范围设为时间范围",
  },
});

/** What can be shown, first what is shown at first: of several ranks all would be too much. */
const SHOWN = ["all", ...MEASURES] as const;
const SEVERAL_SHOWN = ["allocated", "reserved", "active", "all"] as const;

export function Curves() {
  if (!profile.value) return null;
  const { about, left } = drawnRanks();
  return (
    <Card title={t("title")}>
      <Viewed view="memory_curve" about={about} what={t("what")}>
        {(table) => <Chart table={table} />}
      </Viewed>
      {left > 0 && <p class="hint">{t("some", { count: DRAWN, left })}</p>}
    </Card>
  );
}

function Chart({ table }: { table: Table }) {
  const curves = useMemo(() => curvesOf(table), [table]);
  const components = [...new Set(curves.map((curve) => curve.component))].sort();
  const component = components.find((name) => name === param("component")) ?? firstComponent(curves);
  const isOne = new Set(curves.map((curve) => curve.rank)).size <= 1;
  const measure = choice("measure", isOne ? SHOWN : SEVERAL_SHOWN);
  const [zoom, at, view] = [chosenRange("zoom"), chosenNumber("at"), scope.value.view];
  const range = useMemo(() => extent(table.numbers("time")) ?? { begin: 0, end: 1 }, [table]);

  const { lines, shades, legend, marks, label } = useMemo(() => {
    const shown = curves.filter((curve) => curve.component === component);
    const drawn = linesOf(shown, measure === "all" ? MEASURES : [measure], (rank, measure) => t("line", { rank, measure: t(measure) }));
    const marks: Mark[] = [];
    const samples: string[] = [];
    for (const curve of shown) {
      const sample = highestSample(curve);
      if (!sample) continue;
      marks.push({ ...sample, text: "" });
      samples.push(t("rankHighest", { rank: curve.rank, bytes: bytes(sample.value), time: time(sample.time) }));
    }
    // Texts of several marks would be on top of each other.
    const highest = marks.reduce<Mark | null>((highest, mark) => (highest && highest.value >= mark.value ? highest : mark), null);
    if (highest) highest.text = t("highest", { bytes: bytes(highest.value) });
    return { ...drawn, marks, label: t("summary", { component, samples: samples.join(t("between")) }) };
  }, [curves, component, measure, language.value]);
  const bands = useMemo(() => {
    const chosen = at === null ? [] : [{ range: { begin: at, end: at }, name: t("at") }];
    return [...(view ? [{ range: view, name: t("range") }] : []), ...chosen];
  }, [view?.begin, view?.end, at, language.value]);

  return (
    <>
      <div class="toolbar">
        <Select
          label={t("component")}
          value={component}
          options={components.map((value) => ({ value, label: value }))}
          onChange={(component) => choose({ component })}
        />
        <Select
          label={t("measure")}
          value={measure}
          options={SHOWN.map((value) => ({ value, label: t(value) }))}
          onChange={(measure) => choose({ measure })}
        />
        {zoom && (
          <>
            <button type="button" onClick={() => chooseRange("zoom", null)}>
              {t("whole")}
            </button>
            <button type="button" onClick={() => go({ view: zoom })}>
              {t("take")}
            </button>
          </>
        )}
      </div>
      <CurveChart
        label={label}
        caption={t("caption")}
        curves={lines}
        legend={legend}
        shades={shades}
        bands={bands}
        marks={marks}
        range={range}
        zoom={zoom}
        onZoom={(zoom) => chooseRange("zoom", zoom)}
        onPick={(at) => choose({ at: String(at), tab: null })}
        format={bytes}
        ruler={byteRuler}
      />
    </>
  );
}
