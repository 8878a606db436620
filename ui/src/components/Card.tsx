// A part of a page with its heading.

import type { ComponentChildren } from "preact";
import "./parts.css";

interface Props {
  title: string;
  /** Controls beside the heading. */
  tools?: ComponentChildren;
  children: ComponentChildren;
}

export function Card({ title, tools, children }: Props) {
  return (
    <section class="card stack" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {tools}
      </header>
      {children}
    </section>
  );
}
