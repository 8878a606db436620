// The Query page: SQL in, rows, a chart or a lane of the timeline out.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { closeAll, job, openPage, serve, shared } from "./helpers.mjs";

after(closeAll);

/** Writes a query into the page and runs it by keyboard. */
async function ask(viewer, sql) {
  await viewer.go("query");
  const editor = viewer.page.locator("main textarea");
  await editor.fill(sql);
  await editor.press("Control+Enter");
  await viewer.settled("query");
}

function queries(open) {
  let server;
  let viewer;
  before(async () => {
    server = await serve(open());
    viewer = await openPage(server.url);
    await viewer.settled();
  });
  after(() => viewer?.close());

  test("rows are those that the server gives", async () => {
    const sql = "SELECT name, count(*) AS count, sum(duration) AS total FROM task GROUP BY name ORDER BY total DESC, name LIMIT 5";
    await ask(viewer, sql);
    await viewer.page.locator("main tbody tr[data-at]").first().waitFor();
    const shown = await viewer.page.locator("main tbody").evaluate((body) => [...body.rows].map((row) => [...row.cells].map((cell) => cell.innerText.trim())));
    const rows = await server.sql(sql);
    assert.deepEqual(shown, rows.map((row) => [row.name, String(row.count), String(row.total)]));
    await viewer.when(() => viewer.param("sql"), (kept) => kept === sql, "the query must be in the address");
    viewer.assertQuiet("query");
  });

  test("an answer is drawn as a lane of the timeline", async () => {
    const { ranks } = await server.json("api/profile");
    await ask(viewer, `SELECT rank, start, duration, name FROM task WHERE rank = ${ranks[0].rank} ORDER BY duration DESC LIMIT 50`);
    await viewer.page.locator("main a.button[href^='#/timeline']").click();
    await viewer.settled("timeline");
    await viewer.page.locator("[role=row].node.query").waitFor();
    await viewer.picture("query-lane");
    viewer.assertQuiet("query lane");
  });

  test("an answer is drawn as a chart", async () => {
    await ask(viewer, "SELECT name, sum(duration) / 1e6 AS ms FROM task GROUP BY name ORDER BY ms DESC LIMIT 12");
    await viewer.page.getByRole("button", { name: "Chart" }).click();
    await viewer.settled("query");
    const bars = viewer.page.locator("main figure .bars > li, main figure li .bar");
    await bars.first().waitFor();
    await viewer.picture("query-chart");
    await viewer.assertAccessible("query chart");
    viewer.assertQuiet("query chart");
  });
}

describe("queries of a simulated job", () => queries(() => job("slow")));

for (const path of ["npu/db/level1", "gpu/nccl_data.json.gz"]) {
  const directory = shared(path);
  describe(`queries of ${path}`, { skip: directory ? false : "the reference data is not here" }, () => queries(() => directory));
}

describe("around a query", () => {
  let server;
  let viewer;
  before(async () => {
    server = await serve(job("slow"));
    viewer = await openPage(server.url);
    await viewer.settled();
  });
  after(() => viewer.close());

  test("a curve is drawn where x is a time", async () => {
    await ask(viewer, "SELECT time AS start, allocated FROM mem_sample WHERE rank = 0 AND kind = 'allocator' ORDER BY time");
    await viewer.page.getByRole("button", { name: "Chart" }).click();
    await viewer.page.locator("main figure canvas").waitFor();
    await viewer.when(() => viewer.isDrawn("main figure canvas"), Boolean, "the curve is not drawn");
    viewer.assertQuiet("curve");
  });

  test("all examples have an answer", async () => {
    await viewer.go("query");
    const examples = viewer.page.locator("main label.select select").first();
    const values = await examples.evaluate((select) => [...select.options].map((option) => option.value).filter(Boolean));
    assert.ok(values.length > 5, "there must be examples");
    for (const sql of values) {
      await examples.selectOption(sql);
      await viewer.settled("query");
      assert.deepEqual(await viewer.page.locator("main [role=alert]").allInnerTexts(), [], `an example failed: ${sql}`);
    }
    viewer.assertQuiet("examples");
  });

  test("a wrong query shows its error", async () => {
    const sql = "SELECT nothing FROM kernel";
    const reason = await server.sql(sql).catch((error) => JSON.parse(error.message.slice(error.message.indexOf("{"))).error.text.en);
    await ask(viewer, sql);
    const alert = viewer.page.locator("main [role=alert]");
    await alert.waitFor();
    assert.ok((await alert.innerText()).includes(reason), `the page must show "${reason}"`);
    await viewer.picture("query-failed");
    await viewer.assertAccessible("failed query");
    // The browser itself reports the refused request.
    assert.ok(viewer.problems.splice(0).every((problem) => problem.includes("400")), "nothing but the answer 400 is a problem");
  });

  test("a query that takes too long can be stopped", async () => {
    await viewer.go("query");
    const editor = viewer.page.locator("main textarea");
    await editor.fill("SELECT sum(a.start + b.start) AS s FROM kernel a, kernel b, kernel c, kernel d");
    await editor.press("Control+Enter");
    const stop = viewer.page.getByRole("button", { name: "Stop" });
    await stop.waitFor();
    await viewer.picture("query-running");
    await stop.click();
    await viewer.page.getByText("The query was stopped.").waitFor();
    assert.equal(await stop.count(), 0, "there is nothing left to stop");
    // The server has time for the next.
    await ask(viewer, "SELECT count(*) AS n FROM kernel");
    await viewer.page.locator("main tbody tr[data-at]").first().waitFor();
    viewer.assertQuiet("stopped query");
  });

  test("a cut answer says so", async () => {
    await ask(viewer, "SELECT a.start FROM kernel a, kernel b");
    await viewer.page.getByText("Only the first 100000 rows are shown.").waitFor();
    viewer.assertQuiet("cut answer");
  });

  test("a link with a query shows its answer", async () => {
    await viewer.go(`query?sql=${encodeURIComponent("SELECT rank, count(*) AS kernels FROM kernel GROUP BY rank ORDER BY rank")}`);
    await viewer.page.locator("main tbody tr[data-at]").first().waitFor();
    assert.equal(await viewer.page.locator("main tbody tr[data-at]").count(), 8);
    viewer.assertQuiet("link");
  });
});
