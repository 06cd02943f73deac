import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const inPixels = (size: string, unit: string) => Number(size) * (unit === 'px' || unit === '' ? 1 : 16);

/** Zero hides a text that another replaces. */
const isTooSmall = (pixels: number) => pixels > 0 && pixels < 12;

test('no style has text smaller than 12 px', () => {
  const files = globSync('**/*.{css,ts,tsx}', { cwd: import.meta.dirname });
  const sizes = files.flatMap((file) => {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8');
    const found = text.matchAll(
      /(?:font-size|-fz(?:-\w+)?|\bfont|fontSizes?|\bfz)\s*[:=]\s*[{'"]*(?:\d{3} )?([\d.]+)(px|rem|em|)(?![\d%])/g,
    );
    return [...found].map(([all, size, unit]) => ({ file, all, pixels: inPixels(size!, unit!) }));
  });
  assert.ok(sizes.length > 15, `found only ${sizes.length}`);
  assert.deepEqual(
    sizes.filter(({ pixels }) => isTooSmall(pixels)),
    [],
  );
});
