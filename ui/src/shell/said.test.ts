import { afterEach, expect, test } from "vitest";
import { language } from "../texts";
import { said, saidMissing } from "./said";

afterEach(() => {
  language.value = "en";
});

test("in English as it was said", () => {
  expect([said("kernels"), saidMissing("No rank has kernels.")]).toEqual(["kernels", "No rank has kernels."]);
});

test("in Chinese where it is known", () => {
  language.value = "zh";
  expect([said("call stacks"), said("profile_memory=True")]).toEqual(["调用栈", "profile_memory=True"]);
  expect(saidMissing("No rank has allocations.")).toBe("没有 rank 含有内存申请。");
  expect(saidMissing("No rank has something new.")).toBeNull();
});
