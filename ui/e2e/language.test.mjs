// Every page speaks one language: in Chinese no English sentence is visible, in English no Chinese character.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { closeAll, job, openPage, PARTS, serve } from "./helpers.mjs";

after(closeAll);

/** What is the same in every language: code, what the user writes, and the switch of the language. */
const VERBATIM = "code, pre, textarea, kbd, button[lang]";

/** Runs in the page: the visible texts outside of `verbatim`, and the hints that are shown on hovering. */
function visibleTexts(verbatim) {
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    const text = node.textContent.trim();
    if (text !== "" && !parent.closest(`script, style, ${verbatim}`) && parent.checkVisibility()) texts.push(text);
  }
  return texts;
}

/** Four English words in a row. Names of kernels, files and columns have no spaces between words. */
const SENTENCE = /(?:^|[^\w./:=-])[A-Za-z][a-z']*(?: [A-Za-z][a-z']*){3,}/;

const CHINESE = /[\u3400-\u9fff\uff00-\uffef]/;

const LANGUAGES = {
  "zh-CN": { html: "zh-CN", isForeign: (text) => SENTENCE.test(text) },
  "en-US": { html: "en", isForeign: (text) => CHINESE.test(text) },
};

// The second lacks levels, links and metrics; the third has no kernels, only ranges of the user.
for (const name of ["slow", "level0", "none"]) {
  for (const [language, { html, isForeign }] of Object.entries(LANGUAGES)) {
    describe(`${name} in ${language}`, () => {
      for (const part of PARTS) {
        test(part, async () => {
          const viewer = await shown(name, language);
          await viewer.go(part);
          assert.equal(await viewer.page.locator("html").getAttribute("lang"), html);
          const texts = await viewer.page.evaluate(visibleTexts, VERBATIM);
          assert.ok(texts.length > 0, `${part} shows nothing`);
          assert.deepEqual(texts.filter(isForeign), [], `${part} of ${name} has text of another language`);
          viewer.assertQuiet(part);
        });
      }
    });
  }
}

/** Places where something is wrong, each with what shows the error. */
const FAILURES = {
  "query?sql=SELEC 1": "main [role=alert]",
  "query?sql=SELECT nothing FROM kernel": "main [role=alert]",
  "query?sql=SELECT duration / 0 FROM kernel": "main [role=alert]",
  "query?sql=DROP TABLE kernel": "main [role=alert]",
  "operators?step=999": "main [role=alert]",
  "memory?ranks=999": "main [role=alert]",
  "timeline?q=dur>much": ".hits-steps [role=status]",
  "timeline?q=rank:x&tab=search": ".panel-body [role=alert]",
  "timeline?rank=0&slice=999999999": ".panel-body [role=alert]",
  "timeline?lane=SELECT nothing": "main [role=alert]",
};

for (const [language, { isForeign }] of Object.entries(LANGUAGES)) {
  const others = Object.entries(LANGUAGES).find(([other]) => other !== language)[1];
  describe(`errors in ${language}`, () => {
    for (const [place, selector] of Object.entries(FAILURES)) {
      test(place, async () => {
        const viewer = await shown("slow", language);
        await viewer.go("overview");
        await assertTranslated(viewer, place, selector, isForeign, others.isForeign);
      });
    }

    test("an unknown view", async () => {
      const viewer = await openPage((await serve(job("slow"))).url, { language });
      const rename = (route) => route.continue({ url: route.request().url().replace("tables/steps", "tables/weather") });
      await viewer.page.route("**/api/tables/steps*", rename);
      await assertTranslated(viewer, "cluster?tab=steps", "main [role=alert]", isForeign, others.isForeign);
      await viewer.close();
    });

    test("a server that is gone", async () => {
      const viewer = await openPage((await serve(job("slow"))).url, { language });
      await viewer.settled();
      await viewer.page.route("**/api/tables/*", (route) => route.abort());
      await assertTranslated(viewer, "operators?tab=copies", "main [role=alert]", isForeign, others.isForeign);
      await viewer.close();
    });
  });
}

/** Fails unless the error of a place is in the language of the page, and follows it to the other. */
async function assertTranslated(viewer, place, selector, isForeign, isForeignInOther) {
  const [page, query] = place.split("?");
  await viewer.go(`${page}?${query.split("&").map((pair) => pair.replace(/=(.*)/, (_, value) => `=${encodeURIComponent(value)}`)).join("&")}`);
  const error = viewer.page.locator(selector).first();
  const read = () => error.innerText();
  const text = await viewer.when(read, (text) => text.trim() !== "", `${place} shows no error`);
  assert.ok(!isForeign(text), `${place} has text of another language: ${text}`);
  await viewer.switchLanguage();
  const other = await viewer.when(read, (other) => other !== text, `the error of ${place} does not follow the language`);
  assert.ok(!isForeignInOther(other), `${place} has text of another language: ${other}`);
  await viewer.switchLanguage();
  // The browser itself reports requests that are refused or fail.
  const unexpected = viewer.problems.splice(0).filter((problem) => !/\b40[04]\b|ERR_FAILED/.test(problem));
  assert.deepEqual(unexpected, [], `${place}: the browser reported problems`);
}

const viewers = new Map();

/** A page of a job in a language, opened when it is first asked for. */
async function shown(name, language) {
  const key = `${name} ${language}`;
  if (!viewers.has(key)) viewers.set(key, await openPage((await serve(job(name))).url, { language }));
  return viewers.get(key);
}
