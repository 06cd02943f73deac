import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { openStorage } from '../../bench/storage.ts';
import { lineOf, runScenario, type Fault } from './scenario.ts';

const faults: Fault[] = ['kill', 'crash', 'pause'];
// FAULTS_SEED repeats the runs and the moments of an earlier test.
const seed = Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31));

test(`${faults.join(', ')} lose nothing that was acknowledged`, async () => {
  const storage = openStorage();
  try {
    const outcome = await runScenario(storage, { faults, seed });
    console.log(`FAULTS_SEED=${seed}: ${lineOf(outcome)}`);
    assert.ok(outcome.acknowledged > 0);
    assert.deepEqual([outcome.lost, outcome.doubled, outcome.wrong], [0, 0, 0]);
  } finally {
    storage.close();
  }
});
