// A page of several parts, one shown at a time.

import type { ComponentChildren, ComponentType } from "preact";
import { texts } from "../texts";
import { choice } from "./params";
import { Tabs } from "./Tabs";

const t = texts({ en: { parts: "Sections of this page" }, zh: { parts: "本页内容" } });

interface Props<V extends string> {
  title: string;
  /** The parts by name, in the order of their tabs. */
  parts: Record<V, ComponentType>;
  /** What a part is called. */
  label: (part: NoInfer<V>) => string;
  /** Choices that outlast a tab. */
  keep?: string[];
  class?: string;
  /** What is above the tabs. */
  children?: ComponentChildren;
}

export function TabbedPage<V extends string>({ title, parts, label, keep = [], class: name = "", children }: Props<V>) {
  const names = Object.keys(parts) as [V, ...V[]];
  const chosen = choice("tab", names);
  const Part: ComponentType = parts[chosen];
  return (
    <div class={`page ${name}`}>
      <div class="page-head">
        <h1>{title}</h1>
      </div>
      {children}
      <Tabs label={t("parts")} tabs={names.map((value) => ({ value, label: label(value) }))} chosen={chosen} keep={keep} />
      <Part />
    </div>
  );
}
