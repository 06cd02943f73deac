import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsAt } from './faultyPostgres.ts';
import { openReceivers } from './receivers.ts';
import { scenarios } from './scenarios.ts';
import { differences, prepareScenario } from './trial.ts';

/** Each day tries other points, so that all are tried within so many days. CRASH_SEED is the day of an earlier run. */
const seed = Number(process.env.CRASH_SEED ?? Math.floor(Date.now() / 86_400_000));
const days = 127;

const receivers = await openReceivers();

for (const [name, scenario] of Object.entries(scenarios)) {
  test(`${name}: a fault at any statement changes nothing (CRASH_SEED=${seed})`, async (t) => {
    const { trial, remove } = await prepareScenario(scenario, receivers);
    try {
      const whole = await trial();
      assert.deepEqual(differences(whole, whole), []);
      const faults = faultsAt(whole.statements);
      for (const fault of faults.filter((_, at) => at % days === seed % days)) {
        const tried = await trial(fault);
        const command = `npm run crash-points -- ${name} ${fault.at} ${fault.mode}`;
        if (tried.statements.has(fault.at)) assert.deepEqual(differences(whole, tried), [], command);
        else t.diagnostic(`${command}: without the fault`);
      }
    } finally {
      await remove();
    }
  });
}
