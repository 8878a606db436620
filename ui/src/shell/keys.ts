// Keys of the whole page.

/** Calls what belongs to a key, `"?"` or `"ctrl+k"` (also ⌘). Keys without ctrl are left alone while one types. Call the returned function to stop. */
export function onKeys(actions: Record<string, () => void>): () => void {
  const listen = (event: KeyboardEvent) => {
    const hasControl = event.ctrlKey || event.metaKey;
    const action = actions[`${hasControl ? "ctrl+" : ""}${event.key.toLowerCase()}`];
    if (!action || event.altKey || (!hasControl && isTyping(event.target))) return;
    event.preventDefault();
    action();
  };
  addEventListener("keydown", listen);
  return () => removeEventListener("keydown", listen);
}

/** Whether keys go into a text. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, [contenteditable], dialog[open]") !== null;
}
