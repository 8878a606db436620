import { expect, it, vi } from "vitest";
import { nearest, TileStore } from "./store";

const settle = () => new Promise((done) => setTimeout(done));

it("asks once for what is missing, and keeps it", async () => {
  const ask = vi.fn(async (_: unknown, ids: number[]) => new Map(ids.map((id) => [id, `lane ${id}`])));
  const changed = vi.fn();
  const store = new TileStore(ask, changed);
  const draw = (...ids: number[]) => {
    store.want({ level: 3, index: 0 }, ids);
    store.flush();
  };
  draw(1);
  draw(1, 2);
  await settle();
  draw(1, 2);
  expect(ask.mock.calls.map(([, ids]) => ids)).toEqual([[1], [2]]);
  expect(store.get(3, 0, 2)).toBe("lane 2");
  expect(changed).toHaveBeenCalledTimes(2);
});

it("gives up what is no longer wanted", async () => {
  let aborted = false;
  const store = new TileStore<string>(
    (_, __, signal) =>
      new Promise((_, fail) => {
        signal.addEventListener("abort", () => {
          aborted = true;
          fail(new Error());
        });
      }),
    () => {},
  );
  store.want({ level: 0, index: 0 }, [1]);
  store.flush();
  store.flush();
  await settle();
  expect(aborted).toBe(true);
  expect(store.isWaiting).toBe(false);
});

it("shows a coarser tile, or finer ones, while one is missing", async () => {
  const store = new TileStore<number>(
    async (tile, ids) => new Map(ids.map((id) => [id, tile.level])),
    () => {},
  );
  store.want({ level: 5, index: -1 }, [1]);
  store.want({ level: 2, index: 8 }, [1]);
  store.flush();
  await settle();
  expect(nearest(store, 3, -3, 1)).toEqual([{ level: 5, index: -1, value: 5 }]);
  expect(nearest(store, 3, 4, 1)).toEqual([{ level: 2, index: 8, value: 2 }]);
  expect(nearest(store, 3, 9, 1)).toEqual([]);
});
