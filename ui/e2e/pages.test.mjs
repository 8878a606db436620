// Every page on simulated and on real profiles: it opens, nothing goes wrong in the browser, axe has no serious
// complaint, and there is a picture of it.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { closeAll, firstClaim, job, openPage, PAGES, PARTS, serve, shared } from "./helpers.mjs";

after(closeAll);

/** An error as the server sends it, with the same text in every language. */
const message = (text) => ({ id: "test", arguments: {}, text: { en: text, zh: text } });

/** What is said of a page that is as it should be: one heading, no part that failed. */
async function assertWhole(viewer, where) {
  viewer.assertQuiet(where);
  const alerts = await viewer.page.locator("main [role=alert]").allInnerTexts();
  assert.deepEqual(alerts, [], `${where}: a part of the page failed`);
  assert.equal(await viewer.page.locator("h1").count(), 1, `${where}: the page must have one h1`);
}

describe("every page and part of the slow job", () => {
  let viewer;
  before(async () => {
    viewer = await openPage((await serve(job("slow"))).url);
    await viewer.settled();
  });
  after(() => viewer.close());

  for (const part of PARTS) {
    test(part, async () => {
      const name = `slow-${part.replace("?tab=", "-")}`;
      await viewer.go(part);
      await assertWhole(viewer, part);
      await viewer.assertAccessible(`${part}, light`);
      await viewer.picture(`${name}-light`);
      await viewer.setTheme("dark");
      await viewer.assertAccessible(`${part}, dark`);
      await viewer.picture(`${name}-dark`);
      await viewer.setTheme("light");
      await viewer.switchLanguage();
      assert.equal(await viewer.page.locator("html").getAttribute("lang"), "zh-CN");
      await viewer.settled();
      await viewer.picture(`${name}-zh`);
      await viewer.switchLanguage();
      await assertWhole(viewer, part);
    });
  }
});

const PROFILES = {
  rl: () => job("rl"),
  moe: () => job("moe"),
  level0: () => job("level0"),
  "text level1": () => shared("npu/text/level1"),
  "db level1": () => shared("npu/db/level1"),
  "text level0": () => shared("npu/text/level0"),
  gpu: () => shared("gpu/nccl_data.json.gz"),
};

for (const [name, find] of Object.entries(PROFILES)) {
  test(`every page of ${name}`, async (t) => {
    const directory = find();
    if (!directory) return t.skip("the reference data is not here");
    const viewer = await openPage((await serve(directory)).url);
    await viewer.settled();
    for (const page of PAGES) {
      await t.test(page, async () => {
        await viewer.go(page);
        await assertWhole(viewer, `${page} of ${name}`);
        await viewer.assertAccessible(`${page} of ${name}`);
        await viewer.picture(`${name.replace(" ", "-")}-${page}`);
      });
    }
    // The parts of pages, without a picture: a profile that lacks what a part needs must say so, not fail.
    for (const part of PARTS.filter((part) => part.includes("?"))) {
      await t.test(part, async () => {
        await viewer.go(part);
        await assertWhole(viewer, `${part} of ${name}`);
      });
    }
    await viewer.close();
  });
}

test("the overview names the slow rank first", async () => {
  const server = await serve(job("slow"));
  const viewer = await openPage(server.url);
  await viewer.settled();
  const first = viewer.page.locator("article.finding").first();
  assert.equal((await first.locator("h2").innerText()).toLowerCase(), await firstClaim(server));
  // Each place of a finding leads to the timeline.
  await first.locator(".places a").first().click();
  await viewer.settled("timeline");
  assert.equal(await viewer.param("rank"), "5");
  assert.ok(await viewer.time(), "the link must show a stretch of time");
  await viewer.page.goBack();
  await viewer.settled("overview");
  viewer.assertQuiet("overview");
  await viewer.close();
});

test("the stages of reinforcement learning are shown", async () => {
  const viewer = await openPage((await serve(job("rl"))).url);
  await viewer.go("rl");
  assert.match(await viewer.page.locator("main").innerText(), /generate|update|rollout/i);
  await viewer.close();
});

test("the load of experts is shown", async () => {
  const viewer = await openPage((await serve(job("moe"))).url);
  await viewer.go("cluster?tab=experts");
  assert.ok(await viewer.isDrawn("main figure canvas"), "the chart of experts must be drawn");
  await viewer.close();
});

test("a stretch of the heat map opens on the timeline", async () => {
  const viewer = await openPage((await serve(job("slow"))).url);
  await viewer.go("cluster?tab=heat");
  const box = await viewer.page.locator("figure canvas").boundingBox();
  await viewer.page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.3);
  await viewer.page.mouse.down();
  await viewer.page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.6, { steps: 4 });
  await viewer.page.mouse.up();
  const link = viewer.page.locator("a.button[href^='#/timeline']");
  await link.waitFor();
  await viewer.picture("slow-cluster-heat-zoomed");
  await link.click();
  await viewer.settled("timeline");
  const { begin, end } = await viewer.time();
  const [first, last] = (await (await serve(job("slow"))).json("api/profile")).span;
  const share = (end - begin) / (last - first);
  assert.ok(share > 0.1 && share < 0.35, `a fifth of the run was marked, ${share} of it is shown`);
  assert.ok((await viewer.param("ranks")).length > 0, "the marked ranks must be shown");
  viewer.assertQuiet("heat map");
  await viewer.close();
});

describe("pages that have nothing to show", () => {
  test("a level0 profile says what is missing and which switch gives it", async () => {
    const server = await serve(job("level0"));
    const viewer = await openPage(server.url);
    const views = {
      "operators?tab=kernels": "operators?group=op_type",
      "communication?tab=matrix": "comm_matrix",
      "communication?tab=links": "bandwidth",
      "memory?tab=planned": "static_memory",
      "cluster?tab=experts": "experts",
      rl: "stages",
    };
    for (const [part, view] of Object.entries(views)) {
      const { missing } = await server.json(`api/tables/${view}`);
      await viewer.go(part);
      const note = viewer.page.locator("main .state.missing").first();
      await note.waitFor();
      const text = await note.innerText();
      for (const message of [missing.what, missing.switch]) assert.ok(text.includes(message.text.en), `${part} must show "${message.text.en}": ${text}`);
      await viewer.picture(`missing-${part.replace("?tab=", "-")}`);
      await viewer.assertAccessible(part);
    }
    viewer.assertQuiet("level0");
    await viewer.close();
  });

  test("while something comes, the page says so", async () => {
    const viewer = await openPage((await serve(job("slow"))).url);
    await viewer.settled();
    let goOn;
    const held = new Promise((resolve) => (goOn = resolve));
    await viewer.page.route("**/api/tables/operators*", async (route) => {
      await held;
      await route.continue();
    });
    await viewer.page.evaluate(() => (location.hash = "#/operators"));
    const status = viewer.page.locator("main .state[role=status]").first();
    await status.waitFor();
    assert.match(await status.innerText(), /Loading/);
    await viewer.picture("loading-operators");
    await viewer.assertAccessible("loading");
    goOn();
    await viewer.settled("operators");
    viewer.assertQuiet("loading");
    await viewer.close();
  });

  test("a failed part says why, and can be tried again", async () => {
    const viewer = await openPage((await serve(job("slow"))).url);
    await viewer.settled();
    const failing = "**/api/tables/operators*";
    await viewer.page.route(failing, (route) => route.fulfill({ status: 500, json: { error: message("the disk is full") } }));
    await viewer.page.evaluate(() => (location.hash = "#/operators"));
    const alerts = viewer.page.locator("main [role=alert]");
    await alerts.first().waitFor();
    await viewer.settled("operators");
    assert.match(await alerts.first().innerText(), /the disk is full/);
    await viewer.picture("failed-operators");
    await viewer.assertAccessible("failed");
    await viewer.page.unroute(failing);
    for (let left = await alerts.count(); left > 0; left--) {
      await alerts.first().getByRole("button").click();
      await viewer.when(() => alerts.count(), (count) => count < left, "trying again must take the alert away");
    }
    await viewer.settled("operators");
    assert.equal(await alerts.count(), 0, "trying again must mend it");
    // The browser itself reports the refused request.
    assert.ok(viewer.problems.splice(0).every((problem) => problem.includes("500")), "nothing but the answer 500 is a problem");
    await viewer.close();
  });

  test("every page says why a profile cannot be opened", async () => {
    const viewer = await openPage("about:blank");
    await viewer.page.route("**/api/profile", (route) => route.fulfill({ status: 500, json: { error: message("no such directory") } }));
    await viewer.page.goto((await serve(job("slow"))).url);
    const alert = viewer.page.locator("main [role=alert]");
    await alert.waitFor();
    assert.match(await alert.innerText(), /no such directory/);
    await viewer.picture("failed-profile");
    await viewer.close();
  });
});
