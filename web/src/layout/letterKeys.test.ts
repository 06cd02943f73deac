import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IconBox } from '@tabler/icons-react';
import { areaGroups } from './areas.ts';
import { areaLetters, letteredAreas } from './letterKeys.ts';

test('an area has the first letter of its name that no earlier area has', () => {
  const area = (label: string) => ({ href: `/${label}`, label, icon: IconBox, words: '' });
  const letters = letteredAreas(['Overview', 'Workflows', 'Waste', 'Oo'].map(area));
  assert.deepEqual(
    letters.map(({ letter, area: { label } }) => [letter, label]),
    [
      ['o', 'Overview'],
      ['w', 'Workflows'],
      ['a', 'Waste'],
    ],
  );
});

test('every area has a letter', () => {
  assert.equal(areaLetters.length, areaGroups.flatMap(({ areas }) => areas).length);
});
