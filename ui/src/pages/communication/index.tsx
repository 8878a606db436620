// What ranks sent each other, how long it took, and who waited.

import { choice } from "../../components/params";
import { Tabs } from "../../components/Tabs";
import { texts } from "../../texts";
import { Collectives } from "./Collectives";
import { Durations } from "./Durations";
import { Links } from "./Links";
import { Matrix } from "./Matrix";

const t = texts({
  en: { title: "Communication", parts: "Parts of this page", durations: "Durations", matrix: "Matrix", collectives: "Collectives in time", links: "Links and packets" },
  zh: { title: "通信", parts: "本页内容", durations: "耗时", matrix: "矩阵", collectives: "集合通信时间图", links: "链路与包" },
});

const TABS = ["durations", "matrix", "collectives", "links"] as const;

const PARTS = { durations: Durations, matrix: Matrix, collectives: Collectives, links: Links };

export function Communication() {
  const tab = choice("tab", TABS);
  const Part = PARTS[tab];
  return (
    <div class="page">
      <div class="page-head">
        <h1>{t("title")}</h1>
      </div>
      <Tabs label={t("parts")} tabs={TABS.map((value) => ({ value, label: t(value) }))} chosen={tab} keep={["group", "kind"]} />
      <Part />
    </div>
  );
}
