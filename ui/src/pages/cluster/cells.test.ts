import { expect, it } from "vitest";
import { tableOf } from "../../components/derived";
import { heatOf } from "./cells";

it("has a row for each rank and knows the times", () => {
  const heat = heatOf(
    tableOf({
      rank: [7, 7, 2, 2],
      bucket: [0, 1, 0, 1],
      begin: [100, 150, 100, 150],
      computing: [0.25, 0.5, 0.75, 1],
      communication: [0, 0.5, 0, 0],
      exposed_communication: [0, 0.25, 0, 0],
    }),
  );
  expect(heat).toMatchObject({ ranks: [2, 7], buckets: 2, times: { begin: 100, end: 200 } });
  expect([...heat.values.computing]).toEqual([0.75, 1, 0.25, 0.5]);
  expect([...heat.values.idle]).toEqual([0.25, 0, 0.75, 0.25]);
});
