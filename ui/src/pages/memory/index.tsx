// Memory of devices: curves, what holds the memory at an instant, allocations, components, plans of graphs, leaks.

import { TabbedPage } from "../../components/TabbedPage";
import { texts } from "../../texts";
import { Allocations } from "./Allocations";
import { Components } from "./Components";
import { Curves } from "./Curves";
import { Holders } from "./Holders";
import { Leaks } from "./Leaks";
import { Planned } from "./Planned";

const t = texts({
  en: { title: "Memory", holders: "What holds memory", allocations: "Allocations", components: "Components", leaks: "Never released", planned: "Static graphs" },
  zh: { title: "内存", holders: "内存占用", allocations: "分配记录", components: "组件", leaks: "未释放", planned: "静态图" },
});

const PARTS = { holders: Holders, allocations: Allocations, components: Components, leaks: Leaks, planned: Planned };

export function Memory() {
  return (
    <TabbedPage title={t("title")} parts={PARTS} label={t} keep={["component", "measure", "zoom", "at"]}>
      <Curves />
    </TabbedPage>
  );
}
