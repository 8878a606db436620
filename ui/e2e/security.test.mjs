// A profile whose names are markup: no page and no report may run it.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { closeAll, job, npuscope, openPage, PAGES, scratch, serve } from "./helpers.mjs";

after(closeAll);

const MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)>";

const PARTS = [
  ...PAGES,
  "operators?tab=host",
  "operators?tab=overall",
  "operators?tab=dispatch",
  "operators?tab=copies",
  "memory?tab=allocations",
  "memory?tab=components",
  "memory?tab=leaks",
  "communication?tab=matrix",
  "communication?tab=collectives",
  "communication?tab=links",
  "cluster?tab=heat",
  "cluster?tab=steps",
  "cluster?tab=slow",
  "cluster?tab=pipeline",
  "cluster?tab=experts",
];

/** Names of the simulated job, in all its text files, that become markup. */
const NAMES = [
  "MatMulV2", // operator type
  "aclnnMm_MatMulCommon", // kernel
  "aten::mm", // host operator
  "npu::npu_swiglu", // allocation
  "HBM 0/Read", // counter
  "hcom_allReduce_", // collective
  "actor_generate", // stage
  "Stream 2", // lane
  "CANN", // process
];

function files(directory) {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });
}

/** Puts markup into names of a job, and returns those that it found. */
function spoil(directory) {
  const changed = new Set();
  for (const path of files(directory)) {
    if (!/\.(json|csv)$/.test(path) || basename(path) === "ground_truth.json") continue;
    const text = readFileSync(path, "utf8");
    let spoiled = text;
    for (const name of NAMES) {
      if (!spoiled.includes(name)) continue;
      changed.add(name);
      spoiled = spoiled.replaceAll(name, `${name}${MARKUP}`);
    }
    if (basename(path) === "profiler_metadata.json") spoiled = spoiled.replaceAll(/("group_name": ?")/g, `$1${MARKUP}`);
    if (spoiled !== text) writeFileSync(path, spoiled);
  }
  return changed;
}

/** Fails if markup of a name became part of the page. */
async function assertEscaped(viewer, where) {
  viewer.assertQuiet(where);
  const injected = await viewer.page.evaluate(() => ({
    scripts: [...document.scripts].filter((script) => script.textContent?.startsWith("alert(")).length,
    images: document.querySelectorAll("img[src=x]").length,
  }));
  assert.deepEqual(injected, { scripts: 0, images: 0 }, `${where}: markup of a name became part of the page`);
}

describe("names that are markup", () => {
  let directory;
  let viewer;
  before(async () => {
    directory = job("rl");
    assert.deepEqual([...spoil(directory)].sort(), [...NAMES].sort(), "all names must be in the job");
    viewer = await openPage((await serve(directory)).url);
    await viewer.settled();
  });
  after(() => viewer.close());

  for (const part of PARTS) {
    test(part, async () => {
      await viewer.go(part);
      await assertEscaped(viewer, part);
    });
  }

  test("the markup is shown as text", async () => {
    await viewer.go("operators");
    assert.match(await viewer.page.locator("main").innerText(), /<script>alert\(1\)<\/script>/);
    await viewer.picture("markup-operators");
  });

  test("slices, statistics and search", async () => {
    await viewer.go(`timeline?q=${encodeURIComponent("<script>")}&tab=search`);
    const row = viewer.page.locator(".panel-body tbody tr[data-at] button").first();
    await row.waitFor();
    await row.click();
    await viewer.when(() => viewer.param("slice"), Boolean, "the hit must be chosen");
    await viewer.settled();
    await viewer.page.locator(".panel-head nav a", { hasText: "Slice" }).first().click();
    await viewer.page.locator(".panel-body h2").waitFor();
    await viewer.page.locator("main").focus();
    await viewer.page.keyboard.press("m");
    await viewer.settled();
    await viewer.picture("markup-timeline");
    // The card at the pointer shows names too.
    const canvas = await viewer.page.locator(".lane-canvas").boundingBox();
    for (let at = 0; at < 20; at++) await viewer.page.mouse.move(canvas.x + 100 + at * 30, canvas.y + 60 + at * 15);
    await assertEscaped(viewer, "slices");
  });

  test("markup in the address", async () => {
    await viewer.go(`query?sql=${encodeURIComponent(`SELECT '${MARKUP}' AS "${MARKUP}"`)}`);
    await assertEscaped(viewer, "query");
    await viewer.go(`timeline?filter=${encodeURIComponent(MARKUP)}&marks=${encodeURIComponent(`1000__0_${MARKUP}`)}&tab=marks`);
    await assertEscaped(viewer, "marks");
  });

  test("a report of them", async () => {
    const file = join(scratch, "markup.html");
    npuscope("report", directory, "-o", file);
    const report = await openPage(pathToFileURL(file).href, { offline: true });
    await report.settled("overview");
    for (const page of ["timeline", "operators", "memory", "communication", "cluster", "rl", "health"]) {
      await report.go(page);
      await assertEscaped(report, `${page} of the report`);
    }
    await report.close();
  });
});
