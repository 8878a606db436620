import { afterEach, expect, test } from "vitest";
import { columns } from "./components/columns";
import { definition, isTerm } from "./terms";
import { language } from "./texts";

afterEach(() => {
  language.value = "en";
});

test("a definition has name, text and formula, in the language of the page", () => {
  expect(definition("free")).toMatch(/^Free\nTime within the device time .*\.\n= device_time - computing - exposed_communication$/);
  language.value = "zh";
  expect(definition("free")).toMatch(/^空闲\n设备时间内.*。\n= 设备时间/);
});

test("what is inherited is no term", () => {
  expect([isTerm("bubble"), isTerm("toString"), isTerm("weather")]).toEqual([true, false, false]);
});

test("a column with a term has the name of the term, with the unit where values have none", () => {
  const labels = () => columns(["late_ms", "wait", "bytes", "kind"], { bytes: { term: "bytes_moved" } }).map(({ label }) => label);
  expect(labels()).toEqual(["Lateness (ms)", "Wait time", "Bytes moved", "Kind"]);
  language.value = "zh";
  expect(labels()).toEqual(["迟到时间（ms）", "等待时间", "传输数据量", "类型"]);
});

test("columns have the term of their name unless their table gives another meaning", () => {
  const terms = columns(["name", "wait", "late_ms", "share", "bytes"], { share: { term: "share_of_memory" }, bytes: { term: "bytes_moved" } });
  expect(terms.map(({ term }) => term)).toEqual([undefined, "wait", "late", "share_of_memory", "bytes_moved"]);
});
