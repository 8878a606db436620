import { afterAll, beforeAll, expect, test, vi } from "vitest";

async function packed(value: unknown) {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(String.fromCharCode(...bytes));
}

beforeAll(async () => {
  const answers = {
    "api/profile": await packed({ name: "kept" }),
    'api/statistics\n{"ranks":[],"begin":0,"end":10}': await packed([]),
  };
  const textContent = JSON.stringify({ answers });
  vi.stubGlobal("document", { documentElement: {}, getElementById: (id: string) => (id === "report" ? { textContent } : null) });
  vi.stubGlobal("fetch", () => {
    throw new Error("a report must not send requests");
  });
});

afterAll(() => vi.unstubAllGlobals());

test("a report answers from itself", async () => {
  const { api } = await import("./client");
  expect(await api.profile()).toEqual({ name: "kept" });
  expect(await api.statistics([], 0.2, 9.8)).toEqual([]);
});

test("what is not in it is said to be so", async () => {
  const { api } = await import("./client");
  await expect(api.timeline(0)).rejects.toMatchObject({ isNotIncluded: true });
});
