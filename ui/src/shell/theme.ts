// Light or dark. Colours are CSS variables (style.css); canvases ask here what they are now.

import { computed, effect, signal } from "@preact/signals";

export const THEMES = ["auto", "light", "dark"] as const;

export type Theme = (typeof THEMES)[number];

const KEY = "npuscope.theme";

function first(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? "auto";
  } catch {
    return "auto";
  }
}

/** What the user chose. */
export const theme = signal<Theme>(first());

const system = typeof matchMedia === "undefined" ? null : matchMedia("(prefers-color-scheme: dark)");
const isSystemDark = signal(system?.matches ?? false);
system?.addEventListener("change", (event) => (isSystemDark.value = event.matches));

/** Whether the page is dark now; canvases that read it are drawn anew when it changes. */
export const isDark = computed(() => (theme.value === "auto" ? isSystemDark.value : theme.value === "dark"));

effect(() => {
  if (typeof document !== "undefined") document.documentElement.dataset.theme = theme.value;
});

/** Changes the theme and keeps the choice. */
export function setTheme(chosen: Theme) {
  theme.value = chosen;
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // Storage may be forbidden; the choice is then not kept.
  }
}

/** The value of a colour variable now, as canvases understand it: `cssColour("--computing")`. */
export function cssColour(variable: string): string {
  isDark.value;
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}
