// Groups of kernels: what they are grouped by, and which group is chosen. The choice is in the address.

import type { Row } from "../../api/table";
import { choose, param } from "../../components/params";

export const GROUPS = ["op_type", "name", "shape", "core", "stream", "rank", "step", "module"] as const;

export type Group = (typeof GROUPS)[number];

/** Columns that may identify a group. */
export const KEYS = ["op_type", "name", "input_shapes", "core", "stream", "rank", "step", "module"] as const;

export type Key = (typeof KEYS)[number];

/** Values of the keys of a group. */
export type Chosen = Partial<Record<Key, string>>;

const paramOf = (key: Key) => `of_${key}`;

/** The group that is chosen; null without one. */
export function chosenGroup(): Chosen | null {
  const chosen = Object.fromEntries(KEYS.map((key) => [key, param(paramOf(key))]).filter(([, value]) => value !== ""));
  return Object.keys(chosen).length === 0 ? null : chosen;
}

/** The params that choose a group, and take back the one before. */
export function groupParams(chosen: Chosen | null): Record<string, string | null> {
  return Object.fromEntries(KEYS.map((key) => [paramOf(key), chosen?.[key] ?? null]));
}

/** Chooses the group of a row. */
export function chooseRow(row: Row, keys: Key[]) {
  choose(groupParams(Object.fromEntries(keys.map((key) => [key, String(row[key] ?? "")]).filter(([, value]) => value !== ""))));
}

/** Whether a row is of the group. */
export function isOf(row: Row, chosen: Chosen | null): boolean {
  if (!chosen) return false;
  return Object.entries(chosen).every(([key, value]) => String(row[key] ?? "") === value);
}
