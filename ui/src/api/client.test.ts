import { afterEach, expect, test, vi } from "vitest";
import { language } from "../texts";
import { ApiError, api, fetched } from "./client";

function answering(status: number, body: unknown) {
  const fetched = vi.fn(async (_path: string) => new Response(JSON.stringify(body), { status }));
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

afterEach(() => vi.unstubAllGlobals());

test("the same question has the same address", async () => {
  const fetched = answering(200, { count: 0, hits: [], by_rank: [] });
  await api.search("a&b, c", [0, 3], 1000);
  expect(fetched.mock.calls[0]?.[0]).toBe("api/search?text=a%26b,%20c&ranks=0,3&from=1000");
  await api.flows(2, { begin: 1.4, end: 9.6 }, null);
  expect(fetched.mock.calls[1]?.[0]).toBe("api/ranks/2/flows?begin=1&end=10&limit=2000");
});

test("a question is asked once", async () => {
  const fetched = answering(200, { name: "run" });
  await Promise.all([api.timeline(7), api.timeline(7)]);
  await api.timeline(7);
  expect(fetched).toHaveBeenCalledTimes(1);
});

test("a query is stopped with its signal", async () => {
  const fetched = vi.fn((_path: string, init: RequestInit) => {
    return new Promise<Response>((_, reject) => init.signal?.addEventListener("abort", () => reject(new DOMException("", "AbortError"))));
  });
  vi.stubGlobal("fetch", fetched);
  const stopper = new AbortController();
  const answer = api.stoppableQuery("SELECT 1", 10, stopper.signal).catch((error) => error);
  stopper.abort();
  expect(await answer).toMatchObject({ name: "AbortError" });
});

test("a part of the page that cannot be fetched is no response, and one that is broken says why", async () => {
  const failed = (message: string) => fetched(() => Promise.reject(new TypeError(message))).catch((error) => error.message);
  expect(await failed("Failed to fetch dynamically imported module: http://127.0.0.1/assets/index.js")).toMatch(/^No response from npuscope view/);
  expect(await failed("x is undefined")).toBe("x is undefined");
});

test("params of tables are in order", async () => {
  const fetched = answering(404, {});
  await api
    .table("kernels", { ranks: [1], step: 5, view: { begin: 0, end: 10 } }, { limit: 5, op_type: "MatMul" })
    .catch(() => {});
  expect(fetched.mock.calls[0]?.[0]).toBe("api/tables/kernels?ranks=1&step=5&begin=0&end=10&op_type=MatMul&limit=5");
});

test("an error is in the language that the page has when it is shown", async () => {
  const text = { en: "there is no rank 99", zh: "没有 rank 99" };
  answering(404, { error: { id: "view-no-rank", arguments: { rank: "99" }, text } });
  const error = await api.timeline(99).catch((error) => error);
  expect(error).toMatchObject({ message: text.en, status: 404 });
  language.value = "zh";
  expect(error.message).toBe(text.zh);
  language.value = "en";
});

test("an answer says what is missing, and is not kept", async () => {
  const message = (en: string, zh: string) => ({ id: "example", arguments: {}, text: { en, zh } });
  const missing = {
    what: message("No rank has operator types.", "没有 rank 含有以下数据：算子类型。"),
    switch: message("profiler_level=Level1", "profiler_level=Level1"),
  };
  const fetched = answering(200, { missing });
  const error = await api.table("operators").catch((error) => error);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ message: missing.what.text.en, missing, isNotIncluded: false });
  await api.table("operators").catch(() => {});
  expect(fetched).toHaveBeenCalledTimes(2);
});
