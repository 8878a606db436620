// What ranks sent each other, how long it took, and who waited.

import { TabbedPage } from "../../components/TabbedPage";
import { texts } from "../../texts";
import { Collectives } from "./Collectives";
import { Durations } from "./Durations";
import { Links } from "./Links";
import { Matrix } from "./Matrix";

const t = texts({
  en: { title: "Communication", durations: "Time by rank", matrix: "Matrix", collectives: "Operations over time", links: "Links and packets" },
  zh: { title: "通信", durations: "各 rank 耗时", matrix: "矩阵", collectives: "通信算子时间图", links: "链路与包" },
});

const PARTS = { durations: Durations, matrix: Matrix, collectives: Collectives, links: Links };

export function Communication() {
  return <TabbedPage title={t("title")} parts={PARTS} label={t} keep={["group", "kind"]} />;
}
