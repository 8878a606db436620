// The pages: their names, and how they are fetched when they are first shown.

import type { ComponentType } from "preact";
import { isReport } from "../api/report";
import { PAGES, type Page } from "../scope";
import { texts } from "../texts";

/** The name of a page. */
export const pageName = texts({
  en: {
    overview: "Overview",
    timeline: "Timeline",
    operators: "Operators",
    memory: "Memory",
    communication: "Communication",
    cluster: "Cluster",
    rl: "RL stages",
    query: "Query",
    report: "Report",
    health: "Data health",
  } satisfies Record<Page, string>,
  zh: {
    overview: "总览",
    timeline: "时间线",
    operators: "算子",
    memory: "内存",
    communication: "通信",
    cluster: "集群",
    rl: "强化学习阶段",
    query: "查询",
    report: "报告",
    health: "数据健康",
  },
});

/** The pages that are there: a report has no server to query, or to make another report. */
export const shownPages = PAGES.filter((page) => !isReport || (page !== "query" && page !== "report"));

export const LOADERS: Record<Page, () => Promise<ComponentType>> = {
  overview: () => import("../pages/overview").then((module) => module.Overview),
  timeline: () => import("../pages/timeline").then((module) => module.Timeline),
  operators: () => import("../pages/operators").then((module) => module.Operators),
  memory: () => import("../pages/memory").then((module) => module.Memory),
  communication: () => import("../pages/communication").then((module) => module.Communication),
  cluster: () => import("../pages/cluster").then((module) => module.Cluster),
  rl: () => import("../pages/rl").then((module) => module.Rl),
  query: () => import("../pages/query").then((module) => module.Query),
  report: () => import("../pages/report").then((module) => module.Report),
  health: () => import("../pages/health").then((module) => module.DataHealth),
};
