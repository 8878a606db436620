// Texts that several parts of the page use.

import { isTerm, type TermKey } from "../../terms";
import { texts } from "../../texts";

export const clusterText = texts({
  en: {
    rank: "rank {rank}",
    step: "step {step}",
    wholeProfile: "whole profile",
    duration: "Step time",
    computing: "Computing",
    alone: "Computing only",
    overlapped_communication: "Overlapped communication",
    exposed_communication: "Exposed communication",
    communication: "Communication",
    free: "Free",
    bubble: "Bubble",
    show: "Show",
    whole: "Show all",
    timeline: "Show on the timeline",
    close: "Close",
    ranks: "ranks",
    steps: "step times",
  },
  zh: {
    rank: "rank {rank}",
    step: "step {step}",
    wholeProfile: "整个 profile",
    duration: "step 耗时",
    computing: "计算",
    alone: "仅计算",
    overlapped_communication: "已掩盖通信",
    exposed_communication: "未掩盖通信",
    communication: "通信",
    free: "空闲",
    bubble: "空泡",
    show: "显示",
    whole: "显示全部",
    timeline: "在时间线中显示",
    close: "关闭",
    ranks: "rank",
    steps: "step 耗时",
  },
});

/** The number that a text is the name of. Computing only is only a part of computing. */
export function termOf(name: Parameters<typeof clusterText>[0]): TermKey | undefined {
  return name === "duration" ? "step_time" : isTerm(name) ? name : undefined;
}
