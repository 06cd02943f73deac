import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followTask } from './followTask.ts';

const until = new Date('2026-03-18T12:00:30Z');
const running = { status: 'running', done: 1n, total: 3n, endedAt: null, leasedUntil: until } as const;
const done = { status: 'done', done: 3n, total: 3n, endedAt: until, leasedUntil: null } as const;

/** What is told of a task that is read in these states, one after the other, and that nobody may take on. */
async function toldOf(
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

test('a task that stands still because its worker stopped is told once, with when it goes on', async (t) => {
  const told: string[] = [];
  t.mock.method(console, 'error', (text: string) => void told.push(text));
  await toldOf([running, running], (text) => told.push(text));
  assert.deepEqual(told, ['A worker that stopped had it; it goes on by 12:00:30 UTC.', 'done false']);
});

test('of a task that another worker is at, nothing is told', async (t) => {
  const told: string[] = [];
  t.mock.method(console, 'error', (text: string) => void told.push(text));
  await toldOf([{ ...running, leasedUntil: new Date('2026-03-18T12:00:50Z') }], (text) => told.push(text));
  assert.deepEqual(told, ['done false']);
});
