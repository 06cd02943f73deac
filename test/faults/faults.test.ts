import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { openStorage } from '../../bench/storage.ts';
import { findPostgres } from '../server/findPostgres.ts';
import { lineOf, runScenario, type Fault } from './scenario.ts';

const scenarios: [embedded: boolean, faults: Fault[]][] = [
  [true, ['pause', 'kill']],
  ...(findPostgres() ? [[false, ['kill', 'crash', 'pause']] satisfies [boolean, Fault[]]] : []),
];
// FAULTS_SEED repeats the runs and the moments of an earlier test.
const seed = Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31));

for (const [embedded, faults] of scenarios) {
  test(`${faults.join(', ')} lose nothing that was acknowledged, ${embedded ? 'embedded' : 'on a server'}`, async () => {
    const storage = openStorage(embedded);
    try {
      const outcome = await runScenario(storage, { faults, seed });
      console.log(`${storage.name}, FAULTS_SEED=${seed}: ${lineOf(outcome)}`);
      assert.ok(outcome.acknowledged > 0);
      assert.deepEqual([outcome.lost, outcome.doubled, outcome.wrong], [0, 0, 0]);
    } finally {
      storage.close();
    }
  });
}
