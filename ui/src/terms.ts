// The definitions of numbers in the language of the page, for tooltips.

import { GLOSSARY } from "./glossary";
import { language } from "./texts";

export type TermKey = keyof typeof GLOSSARY;

export function isTerm(name: string): name is TermKey {
  return Object.hasOwn(GLOSSARY, name);
}

/** What a number is called. */
export function termName(key: TermKey): string {
  return GLOSSARY[key][language.value].name;
}

/** What a number is: its name, its definition and, where there is one, its formula. */
export function definition(key: TermKey): string {
  const { name, text, formula } = GLOSSARY[key][language.value];
  return [name, text, ...(formula === "" ? [] : [`= ${formula}`])].join("\n");
}
