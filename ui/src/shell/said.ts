// What the server says of a profile, in Chinese. It says it in English; what is not known here stays so.

import { language } from "../texts";

const CHINESE: Record<string, string> = {
  "framework operators": "框架算子",
  "which line of the model launched a kernel": "kernel 由模型的哪一行下发",
  "device tasks": "设备任务",
  "what the NPU did": "NPU 做了什么",
  "step markers": "step 标记",
  "time per training step": "每个训练 step 的时间",
  "operator types and kernel shapes": "算子类型与 kernel 形状",
  "which operators take the time": "哪些算子耗时",
  "AI Core metrics": "AI Core 指标",
  "what a kernel is bound by": "kernel 受什么限制",
  "communication links": "通信链路",
  "bandwidth, and waiting against moving data": "带宽，以及等待与传输的占比",
  "CANN calls": "CANN 调用",
  "why the host is late": "主机为何下发慢",
  "runtime calls": "runtime 调用",
  "synchronising calls and copies": "同步调用与拷贝",
  memory: "内存",
  "peaks, fragmentation, leaks": "峰值、碎片、泄漏",
  "operator input shapes": "算子输入形状",
  "which call of an operator is slow": "算子的哪次调用慢",
  "call stacks": "调用栈",
  "the line of code behind an operator": "算子对应的代码行",
  "L2 cache rates": "L2 cache 命中率",
  "kernels that miss the cache": "cache 未命中的 kernel",
  "user ranges (mstx)": "用户区间（mstx）",
  "stages and modules by name": "按名称划分的阶段与模块",
  // What no rank has.
  kernels: "kernel",
  "operator types": "算子类型",
  "kernel shapes": "kernel 形状",
  "Python functions": "Python 函数",
  "garbage collections": "垃圾回收记录",
  "entries of the task queue": "任务队列记录",
  allocations: "内存申请",
  "times of steps": "step 的时间",
  "calls that launch kernels": "下发 kernel 的调用",
  "slices of the host": "主机切片",
  "communication operations": "通信算子",
  "communication operations; a job on one device has none": "通信算子；单设备的作业没有通信",
  "communication links; a job on one device has none": "通信链路；单设备的作业没有通信",
  "memory that a graph compiler planned; only jobs that run as compiled graphs have it":
    "图编译器规划的内存；只有以编译图运行的作业才有",
  "a group of ranks that share experts": "共享专家的 rank 组",
  "kernels of type GroupedMatmul with their shapes": "带形状的 GroupedMatmul kernel",
  "mstx ranges of forward and backward passes": "前向与反向的 mstx 区间",
  "user ranges (mstx) of stages such as actor_generate or actor_update":
    "actor_generate、actor_update 等阶段的用户区间（mstx）",
  "times of steps and communication": "step 与通信的时间",
  "the pieces of sends and receives": "发送与接收的各个部分",
  "mark the stages with torch_npu.npu.mstx.range_start and collect with mstx=True":
    "用 torch_npu.npu.mstx.range_start 标记各阶段，并以 mstx=True 采集",
  "collect at level0 or above": "以 level0 或以上采集",
  "collect NPU activities at level1 or above": "以 level1 或以上采集 NPU 活动",
};

/** What the server says, in the language of the page. */
export function said(text: string): string {
  return (language.value === "zh" && CHINESE[text]) || text;
}

/** The sentence `No rank has ….` in the language of the page; null if there is no such. */
export function saidMissing(sentence: string): string | null {
  if (language.value === "en") return sentence;
  const [, what] = /^No rank has (.*)\.$/.exec(sentence) ?? [];
  const known = what === undefined ? undefined : CHINESE[what];
  return known === undefined ? null : `没有 rank 含有${known}。`;
}
