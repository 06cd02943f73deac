/** A process of the test runner. It runs each file that it receives as a suite. */
import { once } from 'node:events';
import { describe } from 'node:test';
import fc from 'fast-check';
import { closeShared } from '../harness/shared.ts';
import { recordStatements } from '../server/recordStatements.ts';
import type { FromWorker, ToWorker } from './runFiles.ts';

// Each run draws the same cases, so that it judges the change. TEST_SEED draws others.
const seed = process.env.TEST_SEED || '1';
fc.configureGlobal(seed === 'random' ? {} : { seed: Number(seed) });
// A property that fails must print its seed before the file is killed, however long it could be shortened.
fc.installGlobalPlugin(fc.interruptAfterTimeLimit(180_000));
if (process.env.TEST_FOLDER) recordStatements(process.env.TEST_FOLDER);

for (;;) {
  process.send!({ type: 'ready' } satisfies FromWorker);
  const [{ file }] = (await once(process, 'message')) as [ToWorker];
  if (file === null) break;
  await describe(file, async () => void (await import(file)));
}
await closeShared();
// All results are sent. The runner does not wait for handles that a test left open, but names them.
setTimeout(() => {
  console.error('A test left open:', process.getActiveResourcesInfo().join(', '));
  process.exit();
}, 10_000).unref();
process.channel!.unref();
