// A rank that was recorded in several windows is one rank, and the scope bar chooses a window of it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { closeAll, job, openPage, serve } from "./helpers.mjs";

after(closeAll);

let viewer;
before(async () => {
  viewer = await openPage((await serve(job("windows"))).url);
  await viewer.settled();
});
after(() => viewer.close());

/** The window that the scope bar shows, after what depends on it has come. */
async function chosen() {
  await viewer.settled();
  return viewer.page.locator(".scope-bar .window select").inputValue();
}

/** The time that the scope bar shows. */
async function timeShown() {
  await viewer.settled();
  return viewer.page.locator(".scope-bar .range").innerText();
}

test("all windows are shown first, with the numbers that the trainer gave", async () => {
  await viewer.go("overview");
  assert.match(await viewer.page.locator("main h1").innerText(), /2 ranks, 7 steps/);
  const options = await viewer.page.locator(".scope-bar .window option").allTextContents();
  assert.deepEqual(options, ["all 2", "0 · steps 2 to 5", "1 · steps 8 to 10"]);
});

test("a chosen window is the time that every page shows, until all are chosen again", async () => {
  await viewer.go("cluster?tab=steps");
  const select = viewer.page.locator(".scope-bar .window select");
  const table = () => viewer.page.locator("main .data-table").innerText();
  await select.selectOption({ label: "1 · steps 8 to 10" });
  assert.equal(await chosen(), "1");
  assert.doesNotMatch(await timeShown(), /whole profile/);
  const rows = (await table()).split("\n").filter((row) => /^[\d. ]+ s\t/.test(row));
  assert.deepEqual(rows.map((row) => row.split("\t")[2]), ["8", "9", "10", "8", "9", "10"]);
  await select.selectOption({ label: "all 2" });
  assert.equal(await chosen(), "");
  assert.match(await timeShown(), /whole profile/);
});
