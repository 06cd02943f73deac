import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newStorage } from './harness/program.ts';
import { answersWith, withSettings } from './harness/roleSettings.ts';

test('settings of the database or its roles change no figure and no text', async () => {
  const expected = await answersWith((await newStorage()).DATABASE_URL!);
  const changed = await withSettings((await newStorage()).DATABASE_URL!);
  assert.deepEqual(await answersWith(changed), expected);
});
