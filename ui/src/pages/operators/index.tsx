// What the device and the host spent their time on.

import { choice } from "../../components/params";
import { Tabs } from "../../components/Tabs";
import { texts } from "../../texts";
import { Copies } from "./Copies";
import { Dispatch } from "./Dispatch";
import { HostCalls } from "./HostCalls";
import { Kernels } from "./Kernels";
import { Overall } from "./Overall";
import "./operators.css";

const t = texts({
  en: { title: "Operators", parts: "Parts of this page", kernels: "Operators", host: "Host calls", overall: "Where time goes", dispatch: "Dispatch", copies: "Copies" },
  zh: { title: "算子", parts: "本页内容", kernels: "算子", host: "主机调用", overall: "时间去向", dispatch: "下发链路", copies: "拷贝" },
});

const TABS = ["kernels", "host", "overall", "dispatch", "copies"] as const;

const PARTS = { kernels: Kernels, host: HostCalls, overall: Overall, dispatch: Dispatch, copies: Copies };

export function Operators() {
  const tab = choice("tab", TABS);
  const Part = PARTS[tab];
  return (
    <div class="page operators">
      <div class="page-head">
        <h1>{t("title")}</h1>
      </div>
      <Tabs label={t("parts")} tabs={TABS.map((value) => ({ value, label: t(value) }))} chosen={tab} keep={[]} />
      <Part />
    </div>
  );
}
