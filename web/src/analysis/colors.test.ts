import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { linear, luminance, palette, slots, slotsFor } from './colors.ts';

type Color = [number, number, number];

/** Matrices of Machado, Oliveira and Fernandes (2009) for people who lack one kind of cone. */
const eyes: Record<string, Color[]> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  'no red': [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  'no green': [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  'no blue': [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const times = (rows: Color[], [red, green, blue]: Color): Color =>
  rows.map(([a, b, c]) => a * red + b * green + c * blue) as Color;

/** In OKLab: lightness, green to red, blue to yellow. */
function seen(hex: string, eye: Color[]): Color {
  const [red, green, blue] = times(eye, linear(hex)).map((part) => Math.min(1, Math.max(0, part))) as Color;
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    [red, green, blue],
  ).map(Math.cbrt) as Color;
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones,
  );
}

/** How different two colors look (delta E of OKLab): 0.02 can just be seen, black and white have 1. */
function deltaE(one: string, other: string, eye: Color[]): number {
  const [a, b] = [seen(one, eye), seen(other, eye)];
  return Math.hypot(...a.map((part, axis) => part - b[axis]!));
}

const minDeltaE = { any: 0.08, neighbors: 0.15 };

const pages = { light: '#ffffff', dark: '#2e2e2e' } as const;

for (const scheme of ['light', 'dark'] as const) {
  const colors = [...palette[scheme], palette.other[scheme]];

  test(`in ${scheme}, any two colors differ for every kind of eye, and neighbors most`, () => {
    for (const [name, eye] of Object.entries(eyes)) {
      const check = (one: string, other: string, min: number) => {
        const found = deltaE(one, other, eye);
        assert.ok(found >= min, `${one} and ${other}, ${name}: ${found}`);
      };
      colors.forEach((one, index) => {
        for (const other of colors.slice(index + 1)) check(one, other, minDeltaE.any);
      });
      palette[scheme].forEach((one, index, all) => {
        check(one, all[(index + 1) % all.length]!, minDeltaE.neighbors);
      });
    }
  });

  test(`in ${scheme}, the colors have equal steps of lightness`, () => {
    const lightness = palette[scheme].map((color) => seen(color, eyes['all']!)[0]).toSorted((a, b) => a - b);
    const step = (lightness.at(-1)! - lightness[0]!) / (slots - 1);
    assert.ok(step > 0.03, String(step));
    lightness.forEach((value, index) => {
      assert.ok(Math.abs(value - lightness[0]! - index * step) < 0.004, `${index}: ${lightness.join(' ')}`);
    });
  });

  test(`in ${scheme}, each color stands out from the page`, () => {
    for (const color of colors) {
      const [low, high] = [luminance(color), luminance(pages[scheme])].toSorted((a, b) => a - b) as [
        number,
        number,
      ];
      const contrast = (high + 0.05) / (low + 0.05);
      assert.ok(contrast >= 3, `${color}: ${contrast}`);
    }
  });
}

test('a value keeps its color when others come and go, and no two that are shown share one', () => {
  const names = Array.from({ length: 12 }, (_, index) => `acme/${index}`);
  const anyKeys = fc.shuffledSubarray(names, { maxLength: slots });
  fc.assert(
    fc.property(anyKeys, anyKeys, (first, second) => {
      const known = new Map<string, number>();
      const before = new Map(slotsFor(first, known).map((slot, index) => [first[index]!, slot]));
      const after = slotsFor(second, known);
      assert.equal(new Set(after).size, second.length);
      // Earlier keys keep their slots, even if a new key hashes to one.
      second.forEach((key, index) => before.has(key) && assert.equal(after[index], before.get(key)));
      assert.deepEqual(slotsFor(first, known), [...before.values()]);
    }),
  );
});

test('a value has the same color for everybody, whatever else is shown, unless two want the same', () => {
  const wanted = (key: string) => slotsFor([key], new Map())[0]!;
  const anyNames = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: slots });
  fc.assert(
    fc.property(anyNames, (names) => {
      const given = slotsFor(names, new Map());
      names.forEach((name, index) => {
        const isOnly = names.every((other) => other === name || wanted(other) !== wanted(name));
        if (isOnly) assert.equal(given[index], wanted(name));
      });
      // The largest of one page can be the smallest of another.
      assert.deepEqual(slotsFor(names.toReversed(), new Map()).toReversed(), given);
    }),
  );
});

test('a value keeps its color from page to page', () => {
  const names = Array.from({ length: slots }, (_, index) => `team=${index}`);
  const overview = slotsFor(names);
  assert.deepEqual(slotsFor(names.slice(3)), overview.slice(3));
});
