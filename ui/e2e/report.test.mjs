// Reports: one file that opens from disk without a network, with every page in it.

import assert from "node:assert/strict";
import { join } from "node:path";
import { statSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { closeAll, firstClaim, job, npuscope, openPage, PAGES, PATIENCE, scratch, serve, shared } from "./helpers.mjs";

after(closeAll);

/** A report has no server to query, or to make another report. */
const KEPT_PAGES = PAGES.filter((page) => page !== "query" && page !== "report");

function reads(name, open, hasFinding) {
  let viewer;
  before(async () => {
    const file = join(scratch, `${name}.html`);
    npuscope("report", open(), "-o", file);
    viewer = await openPage(pathToFileURL(file).href, { offline: true });
    await viewer.settled("overview");
  });
  after(() => viewer?.close());

  if (hasFinding) {
    test("findings come first", async () => {
      const claim = await viewer.page.locator("article.finding h2").first().innerText();
      assert.equal(claim.toLowerCase(), await firstClaim(await serve(open())));
      const top = await viewer.page.locator("article.finding").first().evaluate((card) => card.getBoundingClientRect().top);
      assert.ok(top < 300, `the first finding must be at the top, it is at ${top}`);
      // The place that shows it is in the report too.
      await viewer.page.locator("article.finding .places a").first().click();
      await viewer.settled("timeline");
      await viewer.when(() => viewer.isDrawn(".lane-canvas canvas"), Boolean, "the place of a finding is not drawn");
      viewer.assertQuiet("finding");
    });
  }

  for (const page of KEPT_PAGES) {
    test(`the page ${page}`, async () => {
      await viewer.go(page);
      viewer.assertQuiet(`${page} of the report`);
      assert.deepEqual(await viewer.page.locator("main [role=alert]").allInnerTexts(), [], `a part of ${page} failed`);
      assert.deepEqual(
        (await viewer.page.locator("main .state.missing").allInnerTexts()).filter((text) => text.includes("Not included in this report")),
        [],
        `${page} shows something that the report does not keep`,
      );
      await viewer.picture(`${name}-${page}`);
      if (page !== "timeline") return;
      await viewer.when(() => viewer.isDrawn(".lane-canvas canvas"), Boolean, "the timeline of the report stays blank");
    });
  }

  test("numbers are defined without a server", async () => {
    await viewer.go("operators");
    const total = viewer.page.locator("main .data-table th", { hasText: "Total" }).first();
    assert.match(await total.getAttribute("title"), /^Total\n.+/);
  });

  test("the timeline zooms", async () => {
    await viewer.go("timeline");
    await viewer.page.locator("main").focus();
    for (let at = 0; at < 3; at++) await viewer.page.keyboard.press("w");
    await viewer.when(() => viewer.time(), Boolean, "W must zoom");
    await viewer.when(() => viewer.isDrawn(".lane-canvas canvas"), Boolean, "the zoomed timeline stays blank");
    viewer.assertQuiet("zoom in the report");
  });
}

describe("the report of a simulated job", () => reads("report", () => job("slow"), true));

const profile = shared("npu/text/level1");
describe("the report of a real profile", { skip: profile ? false : "the reference data is not here" }, () => reads("report-text-level1", () => profile, false));

test("the Report page gives a file that opens", async () => {
  const server = await serve(job("slow"));
  const viewer = await openPage(server.url);
  await viewer.go("report");
  await viewer.page.locator("main form input[type=text]").fill("5");
  const coming = viewer.page.waitForEvent("download", { timeout: 3 * PATIENCE });
  await viewer.page.locator("main button[type=submit]").click();
  const file = join(scratch, "downloaded.html");
  await (await coming).saveAs(file);
  assert.ok(statSync(file).size > 100_000, "the report must hold the viewer and data");
  viewer.assertQuiet("Report page");
  await viewer.close();
  const report = await openPage(pathToFileURL(file).href, { offline: true });
  await report.settled("overview");
  assert.equal((await report.page.locator("article.finding h2").first().innerText()).toLowerCase(), await firstClaim(server));
  report.assertQuiet("downloaded report");
  await report.close();
});
