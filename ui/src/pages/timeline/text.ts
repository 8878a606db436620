// How wide names are, measured once.

/** Widths of texts in the font of lanes. */
export class TextWidths {
  private readonly letters = new Map<string, number>();
  private readonly texts = new Map<string, number>();

  constructor(private readonly context: { measureText(text: string): { width: number } }) {}

  private letter(letter: string): number {
    let width = this.letters.get(letter);
    if (width === undefined) {
      width = this.context.measureText(letter).width;
      this.letters.set(letter, width);
    }
    return width;
  }

  /** The width of a text: the sum of its letters'. */
  width(text: string): number {
    let width = this.texts.get(text);
    if (width === undefined) {
      width = 0;
      for (const letter of text) width += this.letter(letter);
      if (this.texts.size > 20_000) this.texts.clear();
      this.texts.set(text, width);
    }
    return width;
  }

  /** As much of a text as fits, with … if that is not all; nothing if not even two letters do. */
  cut(text: string, room: number): string {
    if (this.width(text) <= room) return text;
    let width = this.letter("…");
    let end = 0;
    for (const letter of text) {
      width += this.letter(letter);
      if (width > room) break;
      end += letter.length;
    }
    return end < 2 ? "" : `${text.slice(0, end)}…`;
  }
}
