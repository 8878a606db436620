// The parts of a page, one shown at a time; each is a link.

import { scope } from "../scope";
import { choiceLink } from "./params";
import "./parts.css";

interface Props<V extends string> {
  /** What the tabs are of. */
  label: string;
  tabs: { value: V; label: string }[];
  chosen: V;
  /** Choices that outlast a tab; all if it is not given. */
  keep?: string[];
}

/** Tabs kept in the param `tab`. */
export function Tabs<V extends string>({ label, tabs, chosen, keep }: Props<V>) {
  const ended = Object.keys(scope.value.params).filter((name) => keep && !keep.includes(name));
  const without = Object.fromEntries(ended.map((name) => [name, null]));
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ value, label }, at) => (
        <a key={value} href={choiceLink({ ...without, tab: at === 0 ? null : value })} aria-current={value === chosen ? "page" : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
