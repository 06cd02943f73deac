/**
 * Found by a search for colors with equal steps of lightness, of which any two look different to everybody, including
 * people who see no red, green or blue, and neighbors most of all. The brand's hue leads, and a slot has about one hue in
 * both color schemes. `colors.test.ts` checks this.
 */
export const palette = {
  light: ['#1f829e', '#806b00', '#5548cf', '#c7575d', '#852398', '#3086ff', '#2c5d2f', '#b98d00'],
  dark: ['#76c7ca', '#eac005', '#a0a3eb', '#d95254', '#f7cdff', '#618bf9', '#52f2a8', '#d68c2a'],
  other: { light: '#8f959b', dark: '#858a8f' },
} as const;

export const slots = palette.light.length;

export function colorOf(slot: number | null): string {
  return slot === null ? 'var(--series-other)' : `var(--series-${slot + 1})`;
}

/** Text color on top of the slot's color. */
export function inkOf(slot: number | null): string {
  return slot === null ? 'var(--series-other-ink)' : `var(--series-${slot + 1}-ink)`;
}

export function seriesVariables(scheme: 'light' | 'dark'): Record<string, string> {
  const named = palette[scheme].map((color, slot) => [`--series-${slot + 1}`, color] as const);
  return Object.fromEntries(
    [...named, ['--series-other', palette.other[scheme]] as const].flatMap(([name, color]) => [
      [name, color],
      [`${name}-ink`, luminance(color) > 0.2 ? '#000' : '#fff'],
    ]),
  );
}

export function luminance(hex: string): number {
  const [red, green, blue] = linear(hex);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function linear(hex: string): [red: number, green: number, blue: number] {
  const part = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

/** The slots of this visit, so that a repository or team has one color on all pages. */
const kept = new Map<string, number>();

/** Before a page is drawn on the server, where the visit of a browser has not begun. */
export function clearColors(): void {
  kept.clear();
}

/**
 * Assigns a color slot to each key, whatever their order. A key keeps the slot that it had, or gets one by a hash of the key,
 * so that it has the same color for everyone. If another key of the view has taken it, it gets a free one.
 */
export function slotsFor(keys: readonly string[], known = kept): number[] {
  const names = keys.toSorted();
  const taken = new Set<number>();
  const given = new Map<string, number>();
  const give = (key: string, wanted: number | undefined) => {
    if (wanted === undefined || given.has(key) || taken.has(wanted)) return;
    taken.add(wanted);
    given.set(key, wanted);
  };
  for (const key of names) give(key, known.get(key));
  for (const key of names) give(key, hashOf(key) % slots);
  for (const key of names) for (let step = 1; step < slots; step++) give(key, (hashOf(key) + step) % slots);
  const slotOf = (key: string) => given.get(key) ?? hashOf(key) % slots;
  for (const key of names) if (!known.has(key)) known.set(key, slotOf(key));
  return keys.map(slotOf);
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ letter.codePointAt(0)!, 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
