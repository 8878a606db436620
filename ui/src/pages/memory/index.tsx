// Memory of devices: curves, who holds the bytes at an instant, allocations, components, plans of graphs, leaks.

import { choice } from "../../components/params";
import { Tabs } from "../../components/Tabs";
import { texts } from "../../texts";
import { Allocations } from "./Allocations";
import { Components } from "./Components";
import { Curves } from "./Curves";
import { Holders } from "./Holders";
import { Leaks } from "./Leaks";
import { Planned } from "./Planned";

const t = texts({
  en: { title: "Memory", parts: "Parts of this page", holders: "Who holds it", allocations: "Allocations", components: "Components", leaks: "Never released", planned: "Static graphs" },
  zh: { title: "内存", parts: "本页内容", holders: "谁占用内存", allocations: "分配记录", components: "组件", leaks: "未释放", planned: "静态图" },
});

const TABS = ["holders", "allocations", "components", "leaks", "planned"] as const;

const PARTS = { holders: Holders, allocations: Allocations, components: Components, leaks: Leaks, planned: Planned };

export function Memory() {
  const tab = choice("tab", TABS);
  const Part = PARTS[tab];
  return (
    <div class="page">
      <div class="page-head">
        <h1>{t("title")}</h1>
      </div>
      <Curves />
      <Tabs label={t("parts")} tabs={TABS.map((value) => ({ value, label: t(value) }))} chosen={tab} keep={["component", "measure", "zoom", "at"]} />
      <Part />
    </div>
  );
}
