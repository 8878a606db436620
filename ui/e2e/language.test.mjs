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

// The second lacks levels, links and metrics.
for (const name of ["slow", "level0"]) {
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

const viewers = new Map();

/** A page of a job in a language, opened when it is first asked for. */
async function shown(name, language) {
  const key = `${name} ${language}`;
  if (!viewers.has(key)) viewers.set(key, await openPage((await serve(job(name))).url, { language }));
  return viewers.get(key);
}
