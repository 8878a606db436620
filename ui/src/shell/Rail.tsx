// The pages, on the left.

import { link, type Page } from "../scope";
import { texts } from "../texts";
import { Icon } from "./Icon";
import { pageName, shownPages } from "./pages";

const t = texts({ en: { pages: "Pages" }, zh: { pages: "页面" } });

export function Rail({ page }: { page: Page }) {
  return (
    <nav class="rail" aria-label={t("pages")}>
      <a class="brand" href={link({ page: "overview" })}>
        <Logo />
        npuscope
      </a>
      <ul>
        {shownPages.map((name) => (
          <li key={name}>
            <a href={link({ page: name })} aria-current={name === page ? "page" : undefined} title={pageName(name)}>
              <Icon name={name} />
              <span>{pageName(name)}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Three lanes under a lens. */
function Logo() {
  return (
    <svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
      <path d="M2 6h9M6 11h12M2 16h7" stroke="var(--computing)" stroke-width="3" stroke-linecap="round" fill="none" />
      <circle cx="14" cy="11" r="5.5" fill="var(--raised)" fill-opacity="0.75" stroke="var(--exposed)" stroke-width="2" />
      <path d="M11.5 11h5" stroke="var(--exposed)" stroke-width="2.4" stroke-linecap="round" />
    </svg>
  );
}
