import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomOf } from '../../src/platform/lib/random.ts';
import { modes } from './faultyPostgres.ts';
import { openReceivers } from './receivers.ts';
import { scenarios } from './scenarios.ts';
import { differences, prepareScenario } from './trial.ts';

/** Draws the points, the same in each run. `npm run crash-points` tries all of them. */
const seed = Number(process.env.CRASH_SEED ?? 1);
const points = 4;

const receivers = await openReceivers();

for (const [name, scenario] of Object.entries(scenarios)) {
  test(`${name}: a fault at any statement changes nothing (CRASH_SEED=${seed})`, async () => {
    const { trial, remove } = await prepareScenario(scenario, receivers);
    try {
      const whole = await trial();
      assert.deepEqual(differences(whole, whole), []);
      const random = randomOf(seed);
      const oneOf = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!;
      for (let point = 0; point < points; point++) {
        const [at, text] = oneOf([...whole.statements]);
        const fault = { at, mode: oneOf(modes) };
        assert.deepEqual(
          differences(whole, await trial(fault)),
          [],
          `npm run crash-points -- ${name} ${at} ${fault.mode}: ${text}`,
        );
      }
    } finally {
      await remove();
    }
  });
}
