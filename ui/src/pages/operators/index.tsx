// What the device and the host spent their time on.

import { TabbedPage } from "../../components/TabbedPage";
import { texts } from "../../texts";
import { Copies } from "./Copies";
import { Dispatch } from "./Dispatch";
import { HostCalls } from "./HostCalls";
import { Kernels } from "./Kernels";
import { Overall } from "./Overall";
import "./operators.css";

const t = texts({
  en: { title: "Operators", kernels: "Kernels", host: "Host calls", overall: "Time breakdown", dispatch: "Dispatch", copies: "Copies" },
  zh: { title: "算子", kernels: "kernel", host: "主机调用", overall: "时间分解", dispatch: "下发", copies: "拷贝" },
});

const PARTS = { kernels: Kernels, host: HostCalls, overall: Overall, dispatch: Dispatch, copies: Copies };

export function Operators() {
  return <TabbedPage title={t("title")} parts={PARTS} label={t} class="operators" />;
}
