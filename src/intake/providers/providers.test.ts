import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { minTimeLimitMinutes } from '../../ledger/pricing/cost.ts';
import { providers } from './providers.ts';

test('no time limit is shorter than the jobs that the index on long jobs leaves out', () => {
  const limits = providers.flatMap(({ timeLimit }) =>
    timeLimit ? [timeLimit.minutes, ...Object.values(timeLimit.minutesOf ?? {})] : [],
  );
  assert.equal(Math.min(...limits), minTimeLimitMinutes);
  const migration = new URL('../../../migrations/0002_long_and_waiting_jobs.sql', import.meta.url);
  assert.ok(readFileSync(migration, 'utf8').includes(`> interval '${minTimeLimitMinutes} minutes';`));
});
