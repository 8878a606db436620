// The timeline driven as people do: with keys, wheel and pointer. What it shows must be what SQL answers.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { closeAll, frames, job, openPage, serve, shared } from "./helpers.mjs";

after(closeAll);

const OVERLAY = ".lane-canvas canvas[role=img]";
const PANEL = ".panel-body";

/** The canvas, and the row of the tree beside which a lane is drawn. */
async function placeOf(viewer, rank, lane) {
  const row = viewer.page.locator(`[role=row][data-key="${rank}.l${lane}"]`);
  await row.scrollIntoViewIfNeeded();
  await frames(viewer.page);
  return { canvas: await viewer.page.locator(OVERLAY).boundingBox(), row: await row.boundingBox() };
}

/** Shows a stretch of a rank with one lane pinned to the top, where it is easy to find. */
async function showLane(viewer, rank, lane, { begin, end }, more = "") {
  await viewer.go(`timeline?t=${Math.round(begin)},${Math.round(end)}&rank=${rank}&pins=${rank}.l${lane}${more}`);
}

/** The lane of device work with the most slices. */
async function busiest(server, rank, layer = "hardware") {
  const { lanes } = await server.json(`api/ranks/${rank}/timeline`);
  const found = lanes.filter((lane) => lane.layer === layer).sort((a, b) => b.slices - a.slices)[0];
  assert.ok(found, `rank ${rank} must have a lane of layer ${layer}`);
  return found;
}

async function slicesOf(server, rank, lane, { begin, end }, limit = 1000) {
  return (await server.json(`api/ranks/${rank}/slices?lanes=${lane.id}&begin=${Math.round(begin)}&end=${Math.round(end)}&limit=${limit}`)).slices;
}

/** A stretch around the middle of a lane with about `wanted` slices in it. */
async function stretchOf(server, rank, lane, wanted) {
  const { span } = await server.json(`api/ranks/${rank}/timeline`);
  const slices = await slicesOf(server, rank, lane, { begin: span[0], end: span[1] }, 5000);
  const from = Math.max(0, Math.floor(slices.length / 2 - wanted / 2));
  const some = slices.slice(from, from + wanted);
  return { begin: some[0].begin, end: Math.max(...some.map((slice) => slice.end)) };
}

async function press(viewer, key) {
  await viewer.page.keyboard.press(key);
  await frames(viewer.page);
}

const length = (view) => view.end - view.begin;

/** What everyone does with a timeline, on any profile. */
function drives(open) {
  let server;
  let viewer;
  let rank;
  before(async () => {
    server = await serve(open());
    rank = (await server.json("api/profile")).ranks[0].rank;
    viewer = await openPage(server.url);
    await viewer.go(`timeline?rank=${rank}`);
  });
  after(() => viewer?.close());

  test("lanes are drawn", async () => {
    await viewer.when(() => viewer.isDrawn(".lane-canvas canvas"), Boolean, "the canvas stays blank");
    viewer.assertQuiet("timeline");
  });

  test("W, the wheel and S zoom, A and D move", async () => {
    const whole = (await server.json(`api/ranks/${rank}/timeline`)).span;
    await viewer.page.locator("main").focus();
    await press(viewer, "w");
    const near = await viewer.when(() => viewer.time(), Boolean, "W must put the view into the address");
    assert.ok(length(near) < whole[1] - whole[0], "W must show less");
    const box = await viewer.page.locator(OVERLAY).boundingBox();
    await viewer.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await viewer.page.keyboard.down("Control");
    await viewer.page.mouse.wheel(0, -300);
    await viewer.page.keyboard.up("Control");
    const nearer = await viewer.when(() => viewer.time(), (view) => length(view) < length(near), "Ctrl and the wheel must show less");
    await press(viewer, "d");
    const later = await viewer.when(() => viewer.time(), (view) => view.begin > nearer.begin, "D must show what comes later");
    await press(viewer, "a");
    await viewer.when(() => viewer.time(), (view) => view.begin < later.begin, "A must show what came before");
    await press(viewer, "s");
    await viewer.when(() => viewer.time(), (view) => length(view) > length(later), "S must show more");
    await press(viewer, "Backspace");
    await press(viewer, "0");
    await viewer.when(() => viewer.time(), (view) => view === null, "0 must show the whole run");
    viewer.assertQuiet("zoom");
  });

  test("the search finds slices and N goes from one to the next", async () => {
    const text = "matmul";
    const answer = await server.json(`api/search?text=${text}`);
    // Some traces have none.
    const wanted = answer.count > 1 ? text : (await server.json(`api/ranks/${rank}/names`)).find((name) => name.length > 4);
    const { count } = await server.json(`api/search?text=${encodeURIComponent(wanted)}`);
    await press(viewer, "/");
    await viewer.page.keyboard.type(wanted);
    await press(viewer, "Enter");
    const steps = viewer.page.locator(".hits-steps [role=status]");
    await viewer.when(() => steps.innerText(), (said) => said.includes(count.toLocaleString("en")), `all ${count} hits must be counted`);
    await press(viewer, "n");
    const first = await viewer.when(() => viewer.param("slice"), Boolean, "N must choose the first hit");
    await viewer.page.locator(`${PANEL} h2`).waitFor();
    assert.ok((await viewer.page.locator(`${PANEL} h2`).innerText()).toLowerCase().includes(wanted.toLowerCase()));
    if (count > 1) {
      await press(viewer, "n");
      await viewer.when(() => viewer.param("slice"), (slice) => slice !== first, "N must go on to the next hit");
      await press(viewer, "Shift+N");
      await viewer.when(() => viewer.param("slice"), (slice) => slice === first, "Shift N must go back");
    }
    await viewer.settled();
    viewer.assertQuiet("search");
  });

  test("a click on a slice shows its details, and a link to it brings it back", async () => {
    const lane = await busiest(server, rank);
    const view = await stretchOf(server, rank, lane, 12);
    await showLane(viewer, rank, lane.id, view);
    const slices = (await slicesOf(server, rank, lane, view)).filter((slice) => slice.row === 0);
    const slice = slices.reduce((a, b) => (b.end - b.begin > a.end - a.begin ? b : a));
    const { canvas, row } = await placeOf(viewer, rank, lane.id);
    const middle = (Math.max(slice.begin, view.begin) + Math.min(slice.end, view.end)) / 2;
    const x = canvas.x + ((middle - view.begin) / length(view)) * canvas.width;
    // A lane that is drawn small has rows of a few pixels.
    await viewer.page.mouse.click(x, row.y + 3);
    await viewer.when(() => viewer.param("slice"), (chosen) => chosen === String(slice.slice), `the slice ${slice.slice} was clicked`);
    await viewer.settled();
    const heading = viewer.page.locator(`${PANEL} h2`);
    assert.equal(await heading.innerText(), slice.name);
    const hash = await viewer.hash();
    await viewer.page.reload();
    await viewer.settled("timeline");
    assert.equal(await viewer.hash(), hash, "a reload must show the same view");
    await heading.waitFor();
    assert.equal(await heading.innerText(), slice.name, "a reload must show the same slice");
    viewer.assertQuiet("slice");
  });

  test("the statistics of an area are those of SQL", async () => {
    const lane = await busiest(server, rank);
    const view = await stretchOf(server, rank, lane, 60);
    await showLane(viewer, rank, lane.id, view);
    const { canvas, row } = await placeOf(viewer, rank, lane.id);
    const y = row.y + row.height / 2;
    await viewer.page.mouse.move(canvas.x + canvas.width * 0.1, y);
    await viewer.page.mouse.down();
    await viewer.page.mouse.move(canvas.x + canvas.width * 0.8, y, { steps: 4 });
    await viewer.page.mouse.up();
    const area = await viewer.when(() => viewer.param("area"), Boolean, "dragging must select an area");
    const [begin, end, lanes] = area.split(",");
    assert.equal(lanes, `${rank}_${lane.id}`, "only the lane under the pointer is selected");
    await viewer.settled();
    const { origin } = await server.json("api/profile");
    const process = (await server.json(`api/ranks/${rank}/timeline`)).processes[lane.process].name;
    const at = (time) => BigInt(origin) + BigInt(time);
    const rows = await server.sql(
      `SELECT task.name, count(*) AS count, sum(task.duration) AS total
       FROM task JOIN lane ON lane.rank = task.rank AND lane.lane = task.lane
       WHERE task.rank = ${rank} AND lane.process = '${process}' AND lane.tid = ${lane.tid}
         AND task.start >= ${at(begin)} AND task.start < ${at(end)}
       GROUP BY task.name`,
    );
    assert.ok(rows.length > 0, "the area must have slices");
    const table = viewer.page.locator(`${PANEL} tbody`);
    await table.waitFor();
    const shown = await table.evaluate((body) =>
      [...body.querySelectorAll("tr[data-at]")].map((row) => [...row.cells].slice(0, 3).map((cell) => cell.innerText.trim())),
    );
    const expected = rows.map((row) => [row.name, Number(row.count).toLocaleString("en"), durationText(Number(row.total))]);
    // Only the rows in sight are in the document.
    const wanted = expected.filter(([name]) => shown.some(([other]) => other === name));
    assert.deepEqual(byName(shown), byName(wanted));
    const [all] = await viewer.page.locator(`${PANEL} .data-table [role=status]`).allInnerTexts();
    assert.equal(all, `${expected.length} rows`, "the table must have all names");
    viewer.assertQuiet("statistics");
  });
}

const byName = (rows) => [...rows].sort(([a], [b]) => (a < b ? -1 : 1));

/** A duration as the pages write it. */
function durationText(ns) {
  const [unit, size] = [["s", 1e9], ["ms", 1e6], ["µs", 1e3]].find(([, size]) => ns >= size) ?? ["ns", 1];
  return `${Number((ns / size).toPrecision(4))} ${unit}`;
}

describe("the timeline of a simulated job", () => drives(() => job("slow")));

for (const path of ["npu/text/level1", "npu/db/level1", "npu/text/level0", "gpu/nccl_data.json.gz"]) {
  const directory = shared(path);
  describe(`the timeline of ${path}`, { skip: directory ? false : "the reference data is not here" }, () => drives(() => directory));
}

describe("between slices and ranks", () => {
  let server;
  let viewer;
  before(async () => {
    server = await serve(job("slow"));
    viewer = await openPage(server.url);
    await viewer.settled();
  });
  after(() => viewer.close());

  test("a flow is followed to where it comes from, and back", async () => {
    const lane = await busiest(server, 0);
    const view = await stretchOf(server, 0, lane, 40);
    let kernel;
    for (const { slice } of await slicesOf(server, 0, lane, view)) {
      const details = await server.json(`api/ranks/0/slices/${slice}`);
      if (details.flows.some((flow) => !flow.outgoing)) kernel ??= details;
    }
    assert.ok(kernel, "a kernel must have an arrow that leads to it");
    const cause = kernel.flows.find((flow) => !flow.outgoing);
    await viewer.go(`timeline?rank=0&slice=${kernel.id}&t=${kernel.begin - 1e6},${kernel.end + 1e6}`);
    await viewer.page.locator(`${PANEL} .flows button`).first().waitFor();
    await viewer.picture("timeline-flow");
    await viewer.page.locator("main").focus();
    await press(viewer, "[");
    await viewer.when(() => viewer.param("slice"), (slice) => slice === String(cause.slice), "[ must go to where the arrow comes from");
    await viewer.when(() => viewer.page.locator(`${PANEL} h2`).innerText(), (name) => name === cause.name, "its details must be shown");
    const { begin, end } = await viewer.time();
    assert.ok(begin <= cause.begin && cause.begin <= end, "the view must move to the end of the arrow");
    await press(viewer, "]");
    await viewer.when(() => viewer.param("slice"), (slice) => slice !== String(cause.slice), "] must go where an arrow leads");
    await viewer.page.locator(`${PANEL} .flows button`).first().click();
    await viewer.settled();
    viewer.assertQuiet("flow");
  });

  test("a gap is explained", async () => {
    const { lanes } = await server.json("api/ranks/0/timeline");
    const lane = lanes.find(({ layer, name }) => layer === "overlap" && name === "Computing");
    const slices = await slicesOf(server, 0, lane, await stretchOf(server, 0, lane, 200));
    const gaps = slices.slice(1).map(({ begin }, at) => ({ begin: slices[at].end, end: begin }));
    const gap = gaps.reduce((a, b) => (length(b) > length(a) ? b : a));
    await showLane(viewer, 0, lane.id, { begin: gap.begin - length(gap), end: gap.end + length(gap) });
    const { canvas, row } = await placeOf(viewer, 0, lane.id);
    await viewer.page.mouse.click(canvas.x + canvas.width / 2, row.y + row.height / 2, { button: "right" });
    await viewer.page.getByRole("menuitem", { name: /Explain this gap/ }).click();
    await viewer.page.locator(`${PANEL} .gap h2`).waitFor();
    const answer = await server.json(`api/ranks/0/gap?time=${Math.round((gap.begin + gap.end) / 2)}&lane=${lane.id}`);
    assert.equal(await viewer.page.locator(`${PANEL} .gap .flows li`).count(), answer.places.length);
    await viewer.picture("timeline-gap");
    await viewer.assertAccessible("gap");
    viewer.assertQuiet("gap");
  });

  test("a collective is shown on all ranks of its group", async () => {
    const lane = await busiest(server, 0, "communication");
    const { lanes } = await server.json("api/ranks/0/timeline");
    const group = lanes.find(({ layer, name }) => layer === "communication" && name.startsWith("Group")) ?? lane;
    const view = await stretchOf(server, 0, group, 10);
    const [slice] = await slicesOf(server, 0, group, view);
    const answer = await server.json(`api/collective?rank=0&slice=${slice.slice}`);
    assert.ok(answer.instances.length > 1, "the group must have several ranks");
    await viewer.go(`timeline?rank=0&slice=${slice.slice}&t=${slice.begin - 1e6},${slice.end + 1e6}`);
    await viewer.page.getByRole("link", { name: "All ranks" }).click();
    await viewer.page.locator(".instances .rank-bar").first().waitFor();
    assert.equal(await viewer.page.locator(".instances .rank-bar").count(), answer.instances.length);
    if (answer.skew_ns > 0) assert.match(await viewer.page.locator(".collective .toolbar").innerText(), new RegExp(`Rank ${answer.last_rank} arrived last`));
    await viewer.picture("timeline-collective");
    await viewer.assertAccessible("collective");
    viewer.assertQuiet("collective");
  });

  test("ranks are aligned by a slice", async () => {
    const [hit] = (await server.json("api/search?text=MatMulV2&ranks=0")).hits;
    await viewer.go(`timeline?ranks=0,1&rank=0&slice=${hit.slice}&t=${hit.begin - 1e6},${hit.end + 1e6}`);
    await viewer.page.locator(`${PANEL} h2`).waitFor();
    await viewer.page.locator("main").focus();
    await press(viewer, "l");
    await viewer.when(() => viewer.param("offsets"), Boolean, "L must shift ranks");
    await viewer.settled();
    await viewer.picture("timeline-aligned");
    viewer.assertQuiet("align");
  });

  test("the statistics of an area are accessible in light and dark", async () => {
    await viewer.go("timeline?ranks=4,5&rank=4&t=300000000,400000000");
    const canvas = await viewer.page.locator(OVERLAY).boundingBox();
    await viewer.page.mouse.move(canvas.x + 200, canvas.y + 60);
    await viewer.page.mouse.down();
    await viewer.page.mouse.move(canvas.x + 700, canvas.y + 500, { steps: 4 });
    await viewer.page.mouse.up();
    await viewer.page.locator(`${PANEL} tbody tr[data-at]`).first().waitFor();
    for (const colours of ["light", "dark"]) {
      await viewer.setTheme(colours);
      await viewer.picture(`timeline-area-${colours}`);
      await viewer.assertAccessible(`statistics, ${colours}`);
    }
    await viewer.setTheme("light");
    viewer.assertQuiet("area");
  });
});

describe("around the pages", () => {
  let server;
  let viewer;
  before(async () => {
    server = await serve(job("slow"));
    viewer = await openPage(server.url);
    await viewer.settled();
  });
  after(() => viewer.close());

  test("the language changes without a reload and is kept", async () => {
    await viewer.go("timeline");
    await viewer.page.evaluate(() => (window.isTheSame = true));
    await viewer.switchLanguage();
    assert.match(await viewer.page.locator("nav.rail").innerText(), /时间线/);
    assert.equal(await viewer.page.evaluate(() => window.isTheSame), true, "the page must not be loaded anew");
    await viewer.page.reload();
    await viewer.settled();
    assert.match(await viewer.page.locator("nav.rail").innerText(), /时间线/);
    await viewer.switchLanguage();
    assert.match(await viewer.page.locator("nav.rail").innerText(), /Timeline/);
    viewer.assertQuiet("language");
  });

  test("the theme changes by its button", async () => {
    const button = viewer.page.locator(".scope-bar button[title=Theme]");
    const papers = new Set();
    for (let at = 0; at < 3; at++) {
      await button.click();
      papers.add(await viewer.page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    }
    assert.equal(papers.size, 2, "light and dark differ");
  });

  test("Back goes to the page before", async () => {
    await viewer.go("overview");
    await viewer.page.locator("nav.rail a", { hasText: "Timeline" }).click();
    await viewer.settled("timeline");
    await viewer.page.locator("main").focus();
    await press(viewer, "w");
    await viewer.when(() => viewer.time(), Boolean, "W must zoom");
    await viewer.page.goBack();
    await viewer.settled("overview");
    await viewer.page.goForward();
    await viewer.settled("timeline");
    assert.ok(await viewer.time(), "going forth must show the view that was left");
    viewer.assertQuiet("back");
  });

  test("all pages are reached with the keyboard alone", async () => {
    await viewer.go("overview");
    await viewer.page.reload();
    await viewer.settled();
    const focused = () => viewer.page.evaluate(() => document.activeElement?.getAttribute("href") ?? "");
    const seen = [];
    for (let at = 0; at < 14; at++) {
      await viewer.page.keyboard.press("Tab");
      const href = await focused();
      if (!href.startsWith("#/") || seen.includes(href)) continue;
      seen.push(href);
      await viewer.page.keyboard.press("Enter");
      await viewer.settled(href.slice(2).split("?")[0]);
      assert.ok((await focused()).startsWith(href.split("?")[0]), `the focus must stay on ${href} after Enter`);
    }
    assert.ok(seen.length >= 10, `only ${seen.join(" ")} were reached`);
    await viewer.page.locator("main").focus();
    await viewer.page.keyboard.press("?");
    await viewer.page.locator("dialog[open]").waitFor();
    await viewer.picture("help");
    await viewer.assertAccessible("help");
    await viewer.page.keyboard.press("Escape");
    await viewer.page.locator("dialog[open]").waitFor({ state: "detached" });
    await viewer.page.keyboard.press("Control+k");
    await viewer.page.locator("dialog[open]").waitFor();
    await viewer.picture("palette");
    await viewer.assertAccessible("palette");
    await viewer.page.keyboard.type("memory");
    await viewer.page.keyboard.press("Enter");
    await viewer.settled("memory");
    viewer.assertQuiet("keyboard");
  });

  test("lanes are walked through with the keyboard", async () => {
    await viewer.go("timeline");
    const row = viewer.page.locator("[role=treegrid] [role=row][tabindex='0']");
    await row.focus();
    const key = () => viewer.page.evaluate(() => document.activeElement?.getAttribute("data-key"));
    const first = await key();
    await press(viewer, "ArrowDown");
    const second = await viewer.when(key, (now) => now !== first, "the arrow must go to the next row");
    await press(viewer, "p");
    assert.ok(second, "a row must have the focus");
    viewer.assertQuiet("tree");
  });
});
