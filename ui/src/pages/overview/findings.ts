// Findings in Chinese. The server says them in English, with the numbers they rest on: a Chinese sentence is made of
// those by the kind of finding. What is not known here stays as the server said it.

import type { Diagnosis, Finding } from "../../api/client";
import { number } from "../../format";
import { formatRanks } from "../../scope";
import { fill, language } from "../../texts";

/** What stands out, with names of numbers in place; and what to do about it. */
const CHINESE: Record<string, { claim: string; suggestion: string }> = {
  compute: {
    claim: "其 kernel 耗时是执行相同工作的其他 rank 的 {times_as_long} 倍",
    suggestion: "检查该设备：是否有其他进程占用、内存带宽、日志中的故障；更换设备后重新运行",
  },
  frequency: {
    claim: "其 AI Core 频率为 {frequency} MHz，其他 rank 为 {frequency_of_others} MHz",
    suggestion: "检查设备的供电与散热：npu-smi info -t power 和 -t temp",
  },
  "expert-imbalance": {
    claim: "其专家处理的 token 多于其他 rank 的专家",
    suggestion: "均衡各专家的 token：辅助损失、容量因子，或迁移繁忙的专家",
  },
  aicpu: {
    claim: "其算子在 AI CPU 上运行了 {on_the_AI_CPU} ms，其他 rank 为 {on_that_of_others} ms",
    suggestion: "避免使用该算子或该数据类型，使其在 AI Core 上运行",
  },
  "stage-imbalance": {
    claim: "流水线阶段 {stage} 的计算有 {share_of_computing} % 是其他阶段所没有的",
    suggestion: "将部分层移到其他阶段：--num-layer-list，或不均匀切分",
  },
  host: {
    claim: "其主机两次下发的间隔是其他主机的 {times_as_long} 倍",
    suggestion: "检查主机：CPU 负载、进程绑核、频率调节策略",
  },
  gc: {
    claim: "Python 垃圾回收每个 step 占用 {per_step} ms",
    suggestion: "只在指定的 step 回收垃圾：gc.disable() 并在 step 之间 gc.collect()，或 gc.freeze()",
  },
  dataloader: {
    claim: "每个 step 等待下一批数据 {per_step} ms，其他 rank 为 {usual} ms",
    suggestion: "增加数据加载的 worker 与预取，或更换其存储",
  },
  synchronisation: {
    claim: "其主机在每个 step 内等待设备 {waits_per_step} 次，其他 rank 为 {usual} 次",
    suggestion: "将 .item()、.cpu() 和打印张量移出循环，或每个 step 只做一次",
  },
  memory: {
    claim: "每个 step 内存不足 {waits_per_step} 次：主机等待设备后重新申请",
    suggestion: "设置 PYTORCH_NPU_ALLOC_CONF=expandable_segments:True，或预留更多内存",
  },
  "memory-leak": {
    claim: "每个 step 之后多占用 {growth_per_step} MB 内存",
    suggestion: "查找跨 step 保留的张量，例如放入列表的 loss",
  },
  link: {
    claim: "其间链路的传输耗时是其他链路的 {times_as_long} 倍（{bandwidth} GB/s）",
    suggestion: "用 hccl_test 测试该链路；检查线缆、端口与错误计数",
  },
  retransmission: {
    claim: "有 {transfers} 次传输被重传，最长耗时 {longest} ms",
    suggestion: "检查网络：hccn_tool -stat、丢包、流控、线缆",
  },
  clock: {
    claim: "其主机的时钟与其他主机相差 {offset} ms；此处的时间已校正",
    suggestion: "用时间服务器统一所有主机的时钟；npuscope 已作校正",
  },
  "slow-compute-rank": {
    claim: "每个 step 计算 {computing} ms，其他 rank 为 {median} ms，其他 rank 在等待它",
    suggestion: "将该 rank 的 kernel 与核频率同其他 rank 比较",
  },
};

const NUMBERS: Record<string, string> = {
  lost: "损失",
  step: "step",
  "step without it": "消除后的 step",
  "lost if the others were gone": "其他原因消除后的损失",
  "times as long": "耗时倍数",
  frequency: "频率",
  "frequency of others": "其他 rank 的频率",
  "on the AI CPU": "AI CPU 耗时",
  "on that of others": "其他 rank 的 AI CPU 耗时",
  stage: "阶段",
  "share of computing": "计算占比",
  "per step": "每个 step",
  usual: "通常",
  "waits per step": "每个 step 的等待次数",
  "growth per step": "每个 step 增长",
  bandwidth: "带宽",
  transfers: "传输次数",
  longest: "最长",
  offset: "偏差",
  drift: "漂移",
  computing: "计算",
  median: "中位数",
};

/** What the server says of a place, and the same in Chinese. */
const PLACES: [RegExp, string][] = [
  [/^kernel (.*): (\S+) ms, elsewhere (\S+) ms$/, "kernel $1：$2 ms，其他 rank $3 ms"],
  [/^(.*) on the AI CPU: (\S+) ms$/, "$1 在 AI CPU 上：$2 ms"],
  [/^garbage collection: (\S+) ms$/, "垃圾回收：$1 ms"],
  [/^waiting for the next batch: (\S+) ms$/, "等待下一批数据：$1 ms"],
  [/^waiting for the device: (\S+) ms$/, "等待设备：$1 ms"],
  [/^asking for memory: (\S+) ms$/, "申请内存：$1 ms"],
  [/^(\d+) bytes from rank (\d+) to rank (\d+): (\S+) ms, usually (\S+) ms$/, "从 rank $2 到 rank $3 的 $1 字节：$4 ms，通常 $5 ms"],
  [/^(\d+) bytes: (\S+) ms, over other links (\S+) ms$/, "$1 字节：$2 ms，其他链路 $3 ms"],
];

/** What is found, as a sentence. */
export function claim(finding: Finding): string {
  const known = CHINESE[finding.id];
  if (language.value === "en" || !known) return sentence(finding.claim);
  const values = Object.fromEntries(finding.numbers.map(([name, value]) => [name.replaceAll(" ", "_"), number(value)]));
  const costs = finding.share_of_step === null || values.lost === undefined ? "" : `：每个 step 损失 ${values.lost} ms`;
  return `Rank ${formatRanks(finding.ranks)}：${fill(known.claim, values)}${costs}`;
}

/** What to do about it. */
export function suggestion(finding: Finding): string {
  return (language.value === "zh" && CHINESE[finding.id]?.suggestion) || sentence(finding.suggestion);
}

/** The name of a number of a finding. */
export function numberName(name: string): string {
  return (language.value === "zh" && NUMBERS[name]) || name;
}

/** The unit of a number of a finding. */
export function unitName(unit: string): string {
  return language.value === "zh" ? unit.replace(" per step", "/step") : unit;
}

/** What is seen at a place that shows a finding. */
export function placeText(what: string): string {
  if (language.value === "en") return what;
  const [pattern, chinese] = PLACES.find(([pattern]) => pattern.test(what)) ?? [];
  return pattern && chinese ? what.replace(pattern, chinese) : what;
}

/** The parallel layout in words. */
export function layoutText({ layout }: Diagnosis): string {
  if (language.value === "en") return layout;
  return layout
    .replace(/, as recorded$/, "（来自记录）")
    .replace(/, inferred from groups \(confidence (\S+)\)$/, "（由通信组推断，置信度 $1）");
}

/** With a capital at the start. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
