// Numbers are defined where they are shown: on headings of tables, in legends and on findings, in both languages.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { closeAll, job, openPage, serve } from "./helpers.mjs";

after(closeAll);

let viewer;
before(async () => {
  viewer = await openPage((await serve(job("slow"))).url);
  await viewer.settled();
});
after(() => viewer.close());

/** The generated glossary of the pages: TypeScript, of which only the first and the last line are no JavaScript. */
const source = readFileSync(new URL("../src/glossary.ts", import.meta.url), "utf8");
const [, terms] = /export const GLOSSARY = (.*) as const;/s.exec(source);
const GLOSSARY = new Function(`return ${terms}`)();

/** What the tooltip of a term shows. */
const definition = (key, language) => {
  const { name, text, formula } = GLOSSARY[key][language];
  return [name, text, ...(formula === "" ? [] : [`= ${formula}`])].join("\n");
};

const title = (locator) => locator.first().getAttribute("title");

test("headings of a table have the definitions of their columns", async () => {
  await viewer.go("cluster?tab=steps");
  const heading = (name) => viewer.page.locator("main .data-table th", { hasText: name });
  assert.equal(await title(heading("Exposed communication")), definition("exposed_communication", "en"));
  assert.match(await title(heading("Step time")), /^Step time\n/);
  assert.equal(await title(heading("Rank")), null, "a rank is no number to define");
  await viewer.switchLanguage();
  await viewer.settled();
  assert.equal(await title(heading("未掩盖通信")), definition("exposed_communication", "zh"));
  await viewer.switchLanguage();
});

test("a column means what its table is about", async () => {
  await viewer.go("memory?tab=holders");
  const share = viewer.page.locator("main .data-table th", { hasText: "Share" });
  assert.match(await title(share), /^Share of memory\n/);
  await viewer.go("operators?tab=overall");
  assert.match(await title(share), /^Share of device time\n/);
});

test("the headline, legends and findings of the overview are defined", async () => {
  await viewer.go("overview");
  assert.match(await title(viewer.page.locator("h1")), /^Step time of the job\n/);
  const legend = viewer.page.locator("main .legend li", { hasText: "exposed communication" });
  assert.match(await title(legend), /^Exposed communication\n/);
  const confidence = viewer.page.locator("article.finding .term", { hasText: "confidence" });
  assert.match(await title(confidence), /replay_error/);
});
