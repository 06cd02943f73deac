import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, test } from 'node:test';
import { openStorage } from '../../bench/storage.ts';
import { needs } from '../server/installed.ts';
import { mountPowerDisk } from './disk.ts';
import { lineOf, runScenario, type Disks, type Fault } from './scenario.ts';

// FAULTS_SEED repeats the runs and the moments of an earlier test.
const seed = Number(process.env.FAULTS_SEED ?? randomInt(2 ** 31));

const faults: Fault[] = ['kill', 'crash', 'pause'];

test(`${faults.join(', ')} lose nothing that was acknowledged`, () => losesNothing(faults));

const power = mountPowerDisk();
after(() => power?.unmount());

test('a power cut loses nothing that was acknowledged', needs(power, 'xfs_io and root', 'xfsprogs'), () =>
  losesNothing(['power'], { parent: power!.folder, power: power! }),
);

async function losesNothing(causes: Fault[], { parent, ...disks }: Disks & { parent?: string } = {}) {
  const storage = openStorage(parent);
  try {
    const outcome = await runScenario(storage, { faults: causes, seed, ...disks });
    console.log(`FAULTS_SEED=${seed}: ${lineOf(outcome)}`);
    assert.ok(outcome.acknowledged > 0);
    assert.deepEqual([outcome.lost, outcome.doubled, outcome.wrong], [0, 0, 0]);
  } finally {
    storage.close();
  }
}
