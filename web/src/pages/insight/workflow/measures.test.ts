import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measures } from './measures.ts';
import type { WorkflowDay } from './queries.ts';

const day = { date: '2026-03-02', cost: 1.5, runs: 4, avg_duration_seconds: 90, success_rate: 0.75 };
const of = (title: string) => measures.find((measure) => measure.title === title)!;
const valueOf = (title: string, changes: Partial<WorkflowDay> = {}) =>
  of(title).of({ ...day, ...changes } as WorkflowDay);

test('each figure has its own unit', () => {
  const shown = measures.map(({ title, of: value, inWords, onAxis }) => {
    const found = value(day as WorkflowDay)!;
    return [title, inWords(found), onAxis(found)];
  });
  assert.deepEqual(shown, [
    ['Daily cost', '$1.50', '$1.50'],
    ['Daily runs', '4', '4'],
    ['Average duration', '1 min 30 s', '1.5 min'],
    ['Success rate', '75.0%', '75%'],
  ]);
});

test('a day without completed runs has a cost, but no duration and no success rate', () => {
  for (const changes of [
    { runs: 0, cost: 0, avg_duration_seconds: 0, success_rate: 0 },
    { avg_duration_seconds: 0, success_rate: 0 },
  ]) {
    assert.equal(valueOf('Average duration', changes), null);
    assert.equal(valueOf('Success rate', changes), null);
    assert.notEqual(valueOf('Daily cost', changes), null);
  }
});

test('a day on which every run failed has a success rate of zero', () => {
  assert.equal(valueOf('Success rate', { success_rate: 0 }), 0);
});
