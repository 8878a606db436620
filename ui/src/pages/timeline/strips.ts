// Strips: how busy a rank is over time, in the colours of what it does.

import { channels } from "../../components/colours";
import type { Theme } from "./colours";

/** Height of the picture of a strip, in pixels; it is stretched to where it is drawn. */
const HEIGHT = 24;

const pictures = new WeakMap<Float32Array, { theme: Theme; picture: HTMLCanvasElement }>();

/** A colour as a word of an ImageData on a little-endian machine. */
function word(colour: string): number {
  const [red, green, blue] = channels(colour);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** A picture of shares: a column per bucket; computing at the bottom, then overlapped and exposed communication. */
export function stripPicture(shares: Float32Array, theme: Theme): HTMLCanvasElement {
  const before = pictures.get(shares);
  if (before?.theme === theme) return before.picture;
  const picture = document.createElement("canvas");
  picture.width = Math.max(Math.floor(shares.length / 3), 1);
  picture.height = HEIGHT;
  const context = picture.getContext("2d");
  if (context) {
    const image = context.createImageData(picture.width, HEIGHT);
    paint(
      new Uint32Array(image.data.buffer),
      shares,
      [theme.category.computing, theme.category.communication, theme.category.exposed].map(word),
    );
    context.putImageData(image, 0, 0);
  }
  pictures.set(shares, { theme, picture });
  return picture;
}

/** Fills columns from the bottom, each part as high as its share; one that is there at all is seen. */
export function paint(pixels: Uint32Array, shares: Float32Array, colours: number[]) {
  const width = Math.floor(shares.length / 3);
  for (let at = 0; at < width; at++) {
    let row = HEIGHT;
    for (let part = 0; part < colours.length; part++) {
      const share = shares[at * 3 + part] as number;
      if (!(share > 0)) continue;
      const end = Math.max(row - Math.max(Math.round(share * HEIGHT), 1), 0);
      while (row > end) pixels[--row * width + at] = colours[part] as number;
    }
  }
}
