// A number with its definition on hover.

import type { ComponentChildren } from "preact";
import { definition, type TermKey } from "../terms";

export function Term({ of, children }: { of: TermKey; children: ComponentChildren }) {
  return (
    <span class="term" title={definition(of)}>
      {children}
    </span>
  );
}
