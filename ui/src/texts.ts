// The languages of the page. Each part has its own texts, in all languages, next to where they are shown.

import { effect, signal } from "@preact/signals";
import type { Message, Texts } from "./api/types.generated";

export const LANGUAGES = ["en", "zh"] as const;

export type Language = (typeof LANGUAGES)[number];

const KEY = "npuscope.language";

function first(): Language {
  try {
    const kept = localStorage.getItem(KEY);
    if (kept === "en" || kept === "zh") return kept;
  } catch {
    // Storage may be forbidden; the choice is then not kept.
  }
  return typeof navigator !== "undefined" && navigator.language?.toLowerCase().startsWith("zh") ? "zh" : "en";
}

/** The language that is shown. Components that read texts are drawn anew when it changes. */
export const language = signal<Language>(first());

effect(() => {
  const chosen = language.value;
  if (typeof document === "undefined") return;
  document.documentElement.lang = chosen === "zh" ? "zh-CN" : "en";
});

/** Changes the language and keeps the choice. */
export function setLanguage(chosen: Language) {
  language.value = chosen;
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // See above.
  }
}

/** What stands for `{name}` in a text. */
export type Values = Record<string, string | number>;

/** The texts of a part; both languages must have the same keys. Returns a function from a key to its text. */
export function texts<K extends string>(catalog: { en: Record<K, string>; zh: Record<NoInfer<K>, string> }) {
  return (key: K, values: Values = {}): string => fill(catalog[language.value][key], values);
}

/** A text with values in place of `{name}`, and one of two words in place of `{name:row|rows}`; names that have no value stay. */
export function fill(text: string, values: Values): string {
  return text.replace(/\{(\w+)(?::(\w+)\|(\w+))?\}/g, (whole, name: string, one: string | undefined, many: string | undefined, at: number) => {
    const found = String(values[name] ?? whole);
    const value = (found === "1" ? one : many) ?? found;
    return `${spaceBetween(text.charAt(at - 1), value.charAt(0))}${value}${spaceBetween(value.slice(-1), text.charAt(at + whole.length))}`;
  });
}

const CHINESE = /[\u3400-\u9fff]/;
const LATIN = /[A-Za-z0-9]/;

/** A space where a Chinese character and a Latin letter or digit meet: whether a value is Chinese is not known in the text. */
function spaceBetween(before: string, after: string): string {
  return (CHINESE.test(before) && LATIN.test(after)) || (LATIN.test(before) && CHINESE.test(after)) ? " " : "";
}

/** Parts one after the other, with the comma of the language. */
export function listed(parts: string[]): string {
  return parts.join(language.value === "zh" ? "，" : ", ");
}

/** What stands between a name and what it names. */
export function colon(): string {
  return language.value === "zh" ? "：" : ": ";
}

/** What is put after a word in brackets. */
export function bracketed(text: string): string {
  return language.value === "zh" ? `（${text}）` : ` (${text})`;
}

/** A message of the server in the language of the page. */
export function messageText(message: Message): string {
  return inLanguage(message.text);
}

/** One of the texts that the server sends, in the language of the page. */
export function inLanguage(texts: Texts): string {
  return texts[language.value];
}

/** A text with a capital at the start. A Chinese sentence has none: `rank 3` stays as it is. */
export function capitalized(text: string): string {
  return language.value === "zh" ? text : text.charAt(0).toUpperCase() + text.slice(1);
}
