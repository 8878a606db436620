// A view of the server as a table, for what the scope says.

import type { ComponentChildren } from "preact";
import { api, type Asked, type ViewName } from "../api/client";
import type { Table } from "../api/table";
import { formatRanks, scope } from "../scope";
import { Loaded } from "./Loaded";

interface Props<V extends ViewName> {
  view: V;
  /** What it is about; the scope unless it is given. */
  about?: Asked;
  /** The params of this view. */
  own?: Parameters<typeof api.table<V>>[2];
  /** What is loaded, in words. */
  what: string;
  children: (table: Table) => ComponentChildren;
}

export function Viewed<V extends ViewName>({ view, about = scope.value, own, what, children }: Props<V>) {
  const of = [view, JSON.stringify(own), formatRanks(about.ranks ?? null), about.step, about.view?.begin, about.view?.end];
  return (
    <Loaded load={() => api.table(view, about, own)} of={of} what={what}>
      {children}
    </Loaded>
  );
}
