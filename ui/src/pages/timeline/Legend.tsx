// What the colours of slices mean.

import { texts } from "../../texts";
import type { Category } from "./colours";

const t = texts({
  en: {
    legend: "Colors",
    computing: "computing",
    communication: "communication",
    exposed: "exposed comm.",
    copy: "copy",
    wait: "wait",
    framework: "framework",
    runtime: "CANN",
  },
  zh: {
    legend: "颜色",
    computing: "计算",
    communication: "通信",
    exposed: "未掩盖通信",
    copy: "拷贝",
    wait: "等待",
    framework: "框架",
    runtime: "CANN",
  },
});

const SHOWN = ["computing", "communication", "exposed", "copy", "wait", "framework", "runtime"] as const satisfies Category[];

export function Legend() {
  return (
    <ul class="legend" aria-label={t("legend")}>
      {SHOWN.map((category) => (
        <li key={category}>
          <span class="swatch" style={{ background: `var(--slice-${category})` }} />
          {t(category)}
        </li>
      ))}
    </ul>
  );
}
