import { expect, it } from "vitest";
import { CATEGORIES, categoryOf, Palette, type Theme } from "./colours";

const theme = {
  category: Object.fromEntries(CATEGORIES.map((name) => [name, "#336699"])),
} as Theme;

it("slices have the category of what they are", () => {
  expect(categoryOf("hardware", "MatMulV2")).toBe("computing");
  expect(categoryOf("hardware", "EVENT_WAIT")).toBe("wait");
  expect(categoryOf("hardware", "MEMCPY_ASYNC")).toBe("copy");
  expect(categoryOf("hardware", "hcom_allReduce__123_4_1")).toBe("communication");
  expect(categoryOf("overlap", "Communication(Not Overlapped)")).toBe("exposed");
  expect(categoryOf("overlap", "Communication")).toBe("communication");
  expect(categoryOf("overlap", "Free")).toBe("free");
  expect(categoryOf("communication", "Notify_Wait")).toBe("wait");
  expect(categoryOf("cann", "aclrtSynchronizeStream")).toBe("wait");
});

it("a name has one style, whatever numbers it ends in", () => {
  const palette = new Palette(theme, "name");
  const names = ["hcom_allReduce__1", "hcom_allReduce__2", "MatMul"];
  const styles = names.map((_, at) => palette.style("hardware", names, at, 0));
  expect(styles[0]).toBe(styles[1]);
  expect(styles.every((style) => palette.styles[style] !== undefined)).toBe(true);
});

it("longer slices have later styles", () => {
  const palette = new Palette(theme, "duration");
  const styles = [1, 1e4, 1e6, 1e12].map((ns) => palette.style("other", [], 0, ns));
  expect(styles).toEqual([...styles].sort((a, b) => a - b));
  expect(palette.styles[styles[3] as number]).toBeDefined();
});
