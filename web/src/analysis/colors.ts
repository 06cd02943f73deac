/**
 * Chosen by search so that any two differ, also for people who see no red, green or blue, and each stands out from the
 * page; `colors.test.ts` checks it. A slot has the same hue in both color schemes.
 */
export const palette = {
  light: ['#167590', '#2291d9', '#6c30dc', '#b7005e', '#c95a31', '#ce840c', '#015f00'],
  dark: ['#18d8eb', '#558bd4', '#9899fb', '#d98dbc', '#ef7f47', '#f5cb54', '#84ca8e'],
  /** All others together. */
  other: { light: '#8f959b', dark: '#858a8f' },
} as const;

export const slots = palette.light.length;

export function colorOf(slot: number | null): string {
  return slot === null ? 'var(--series-other)' : `var(--series-${slot + 1})`;
}

/** Of a text on that color. */
export function inkOf(slot: number | null): string {
  return slot === null ? 'var(--series-other-ink)' : `var(--series-${slot + 1}-ink)`;
}

/** CSS variables, which the theme hands to the page. */
export function seriesVariables(scheme: 'light' | 'dark'): Record<string, string> {
  const named = [...palette[scheme].map((color, slot) => [`--series-${slot + 1}`, color] as const)];
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

/**
 * A slot for each key. A key keeps the slot of its name, so that it has the same color in every view and for everybody. Where
 * two want the same, the first has it, and the other remembers its own in `known`.
 */
export function slotsFor(keys: readonly string[], known: Map<string, number>): number[] {
  const taken = new Set<number>();
  const given = new Map<string, number>();
  const give = (key: string, slot: number) => {
    taken.add(slot);
    given.set(key, slot);
  };
  for (const key of keys) {
    const slot = known.get(key);
    if (slot !== undefined && !taken.has(slot)) give(key, slot);
  }
  for (const key of keys) {
    if (given.has(key)) continue;
    const wanted = hashOf(key) % slots;
    const order = Array.from({ length: slots }, (_, step) => (wanted + step) % slots);
    const slot = order.find((each) => !taken.has(each)) ?? wanted;
    give(key, slot);
    if (!known.has(key)) known.set(key, slot);
  }
  return keys.map((key) => given.get(key)!);
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ letter.codePointAt(0)!, 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
