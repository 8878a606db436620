// Cells of a heat map as pixels.

/** A rectangle of cells: columns from x0 up to x1, rows from y0 up to y1. */
export interface Cells {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** First cell of each pixel along one edge; the last entry ends the last pixel. A pixel has at least one cell. */
function edges(from: number, to: number, pixels: number): Int32Array {
  return Int32Array.from({ length: pixels + 1 }, (_, at) => from + Math.floor((at * (to - from)) / pixels + 1e-9));
}

/**
 * The greatest value of the cells under each pixel, so that a single hot cell is seen however small it is drawn.
 * Cells that are not numbers count as absent; pixels without any are NaN.
 */
export function rasterized(values: ArrayLike<number>, columns: number, cells: Cells, width: number, height: number): Float32Array {
  const across = edges(cells.x0, cells.x1, width);
  const down = edges(cells.y0, cells.y1, height);
  const pixels = new Float32Array(width * height).fill(NaN);
  let above = { top: -1, bottom: -1 };
  for (let y = 0; y < height; y++) {
    const top = down[y]!;
    const bottom = Math.max(down[y + 1]!, top + 1);
    if (top === above.top && bottom === above.bottom) {
      pixels.copyWithin(y * width, (y - 1) * width, y * width);
      continue;
    }
    above = { top, bottom };
    for (let x = 0; x < width; x++) {
      const left = across[x]!;
      const right = Math.max(across[x + 1]!, left + 1);
      let most = NaN;
      for (let row = top; row < bottom; row++) {
        for (let cell = row * columns + left, end = row * columns + right; cell < end; cell++) {
          const value = values[cell]!;
          if (!(value <= most) && !Number.isNaN(value)) most = value;
        }
      }
      pixels[y * width + x] = most;
    }
  }
  return pixels;
}

/** Pixels in colours of a scale from `begin` to `end`; those without a value are clear. */
export function painted(pixels: Float32Array, scale: { begin: number; end: number }, colours: Uint32Array): Uint32Array {
  const last = colours.length - 1;
  const factor = last / (scale.end - scale.begin || 1);
  const words = new Uint32Array(pixels.length);
  for (let at = 0; at < pixels.length; at++) {
    const value = pixels[at]!;
    if (Number.isNaN(value)) continue;
    words[at] = colours[Math.max(0, Math.min(last, Math.round((value - scale.begin) * factor)))]!;
  }
  return words;
}

/** The cell under a place, or null beyond the last. */
export function cellAt(x: number, y: number, cells: Cells, width: number, height: number): { column: number; row: number } | null {
  if (x < 0 || y < 0 || x >= width || y >= height) return null;
  return {
    column: cells.x0 + Math.floor((x / width) * (cells.x1 - cells.x0)),
    row: cells.y0 + Math.floor((y / height) * (cells.y1 - cells.y0)),
  };
}
