// How long the canvas of the timeline takes to draw a frame: `node frames.mjs URL`, the URL with its token.
// Zooms and pans by keys and prints {count, median, p95} in ms as JSON.

import { frames, closeAll, openPage } from "./helpers.mjs";

const FRAMES = 150;
const [url] = process.argv.slice(2);
if (!url) throw new Error("usage: node frames.mjs URL");

const viewer = await openPage(url);
await viewer.go("timeline");
await viewer.page.locator("main").focus();
await viewer.page.evaluate(() => performance.clearMeasures("npuscope-frame"));
// Near, along, and far again, so that every level of detail is drawn.
const KEYS = "wwwwwwwwdddddaaaassss";
for (let at = 0; at < FRAMES; at++) {
  await viewer.page.keyboard.press(KEYS[at % KEYS.length]);
  await frames(viewer.page);
}
const drawn = await viewer.page.evaluate(() => performance.getEntriesByName("npuscope-frame").map((entry) => entry.duration));
drawn.sort((a, b) => a - b);
const at = (share) => Number((drawn[Math.min(drawn.length - 1, Math.floor(share * drawn.length))] ?? 0).toFixed(3));
console.log(JSON.stringify({ count: drawn.length, median: at(0.5), p95: at(0.95) }));
await closeAll();
