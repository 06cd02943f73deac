import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followTask } from './followTask.ts';

const until = new Date('2026-03-18T12:00:30Z');
const running = { status: 'running', done: 1n, total: 3n, endedAt: null, leasedUntil: until } as const;
const done = { status: 'done', done: 3n, total: 3n, endedAt: until, leasedUntil: null } as const;

/** Returns the output for a task that has these states one after the other and that no worker may claim. */
async function printedFor(
  states: (typeof running | typeof done)[],
  write: (text: string) => void,
): Promise<void> {
  const left = [...states];
  const { task, isStopped } = await followTask({
    clock: { now: () => new Date('2026-03-18T12:00:00Z') },
    poller: { name: 'tasks: count', everyMilliseconds: 1_000, run: () => Promise.resolve(false) },
    unit: 'rows',
    name: 'count',
    shownBy: 'count list',
    read: () => Promise.resolve(left.shift() ?? done),
  });
  write(`${task.status} ${isStopped}`);
}

test('reports once when a task continues after its worker stopped', async (t) => {
  const printed: string[] = [];
  t.mock.method(console, 'error', (text: string) => void printed.push(text));
  await printedFor([running, running], (text) => printed.push(text));
  assert.deepEqual(printed, [
    'Another worker stopped during this task; it continues by 12:00:30 UTC.',
    'done false',
  ]);
});

test('says nothing about a task that another worker has', async (t) => {
  const printed: string[] = [];
  t.mock.method(console, 'error', (text: string) => void printed.push(text));
  await printedFor([{ ...running, leasedUntil: new Date('2026-03-18T12:00:50Z') }], (text) =>
    printed.push(text),
  );
  assert.deepEqual(printed, ['done false']);
});
