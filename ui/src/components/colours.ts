// Colours of charts. They are CSS values such as `var(--computing)`, so that light and dark are one thing; a canvas
// needs them resolved.

/** A colour of its own for each of a list of kinds: eight that people can distinguish, then the same again. */
export function kindColour(index: number): string {
  return `var(--kind-${index % 8})`;
}

/** Kinds in order of name, each with its colour. */
export function kindColours(kinds: Iterable<string>): Map<string, string> {
  return new Map([...new Set(kinds)].sort().map((kind, at) => [kind, kindColour(at)]));
}

/** Resolves CSS colours as `element` sees them now; to be used at once. */
export function resolver(element: HTMLElement): (value: string) => string {
  const probe = document.createElement("span");
  probe.hidden = true;
  element.append(probe);
  const known = new Map<string, string>();
  queueMicrotask(() => probe.remove());
  return (value) => {
    let found = known.get(value);
    if (found === undefined) {
      probe.style.color = value;
      found = getComputedStyle(probe).color;
      known.set(value, found);
    }
    return found;
  };
}

/** Red, green and blue of a resolved colour, 0 to 255. */
export function channels(colour: string): [number, number, number] {
  const hex = /^#([0-9a-f]{6})$/i.exec(colour)?.[1];
  if (hex) return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16)) as [number, number, number];
  const found = colour.match(/[\d.]+/g)?.map(Number) ?? [];
  return [found[0] ?? 0, found[1] ?? 0, found[2] ?? 0];
}

/** Black or white, whichever is read better on a resolved colour. */
export function inkOn(colour: string): string {
  const [red, green, blue] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? "#000000" : "#ffffff";
}

/** Steps of a colour scale. */
export const RAMP_STEPS = 256;

/** The colour scale from least to greatest, as RGBA words in the order of an ImageData on a little-endian machine. */
export function ramp(colour: (value: string) => string): Uint32Array {
  const stops = [0, 1, 2, 3, 4].map((at) => channels(colour(`var(--ramp-${at})`)));
  return Uint32Array.from({ length: RAMP_STEPS }, (_, at) => {
    const place = (at / (RAMP_STEPS - 1)) * (stops.length - 1);
    const low = Math.min(Math.floor(place), stops.length - 2);
    const [red, green, blue] = stops[low]!.map((value, channel) =>
      Math.round(value + (stops[low + 1]![channel]! - value) * (place - low)),
    ) as [number, number, number];
    return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  });
}
