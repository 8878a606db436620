import { afterEach, expect, test } from "vitest";
import { bracketed, colon, fill, language, listed, texts } from "./texts";

const t = texts({ en: { hello: "Hello {name}", bye: "Bye" }, zh: { hello: "{name}，你好", bye: "再见" } });

afterEach(() => {
  language.value = "en";
});

test("texts follow the language", () => {
  language.value = "en";
  expect([t("hello", { name: "rank 3" }), t("bye")]).toEqual(["Hello rank 3", "Bye"]);
  language.value = "zh";
  expect([t("hello", { name: "rank 3" }), t("bye")]).toEqual(["rank 3，你好", "再见"]);
});

test("Chinese characters and Latin words get a space between them", () => {
  expect([fill("加载{what}……", { what: "rank" }), fill("加载{what}……", { what: "带宽" })]).toEqual(["加载 rank……", "加载带宽……"]);
  expect([fill("{name}行", { name: 3 }), fill("{name} 行", { name: 3 }), fill("loading {name}", { name: "x" })]).toEqual(["3 行", "3 行", "loading x"]);
});

test("a word is in the number that its value asks for", () => {
  const rows = (count: number | string) => fill("{count} {count:row|rows}", { count });
  expect([rows(1), rows("1"), rows(0), rows("1,001")]).toEqual(["1 row", "1 row", "0 rows", "1,001 rows"]);
});

test("punctuation follows the language", () => {
  const joined = () => `${listed(["rank 0", "step 10"])}${colon()}${bracketed("ms")}`;
  expect(joined()).toBe("rank 0, step 10:  (ms)");
  language.value = "zh";
  expect(joined()).toBe("rank 0，step 10：（ms）");
});

test("names without a value stay", () => {
  expect(fill("{a} {b} {a}", { a: 1 })).toBe("1 {b} 1");
});
