import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressText, startProgress } from './follow.ts';

test('the text has share, count, speed and time left', () => {
  assert.equal(
    progressText({ done: 12_400, total: 20_000, seconds: 8 }),
    ' 62%  12,400 of 20,000 runs  1,550 runs/s  5 s left',
  );
  assert.match(progressText({ done: 1_000, total: 100_000, seconds: 2 }), / 3 min 18 s left$/);
  assert.match(progressText({ done: 1_000, total: 31_000, seconds: 2 }), / 1 min 00 s left$/);
});

test('has no speed in the first seconds, and no time left at the end', () => {
  assert.equal(progressText({ done: 0, total: 20_000, seconds: 0 }), '  0%  0 of 20,000 runs');
  assert.equal(progressText({ done: 10, total: 20, seconds: 0 }), ' 50%  10 of 20 runs');
  assert.equal(progressText({ done: 10, total: 20, seconds: 1.9 }), ' 50%  10 of 20 runs');
  assert.equal(progressText({ done: 20, total: 20, seconds: 2 }), '100%  20 of 20 runs  10 runs/s');
});

test('counts only what was done since it looks', () => {
  const text = progressText({ done: 1_020, total: 1_040, seconds: 4, before: 1_000 });
  assert.equal(text, ' 98%  1,020 of 1,040 runs  5 runs/s  4 s left');
});

test('rounds a share down, so that 100% means all', () => {
  assert.match(progressText({ done: 19_999, total: 20_000, seconds: 1 }), /^ 99%/);
});

test('a terminal gets one redrawn line that fits its width', () => {
  for (const columns of [10, 40, 60, 80, 200]) {
    const { written, run } = recordProgress({ isTTY: true, columns });
    run();
    assert.ok(written.length >= 4);
    for (const text of written.slice(0, -1)) {
      assert.ok(text.startsWith('\r\u001B[K'));
      assert.ok(text.length - 4 < columns);
      assert.ok(!text.includes('\n'));
    }
    assert.equal(written.at(-1), '\n');
  }
});

test('the bar shows the share', () => {
  const { written, run } = recordProgress({ isTTY: true, columns: 200 });
  run();
  const filled = written.slice(0, -1).map((text) => text.split('█').length - 1);
  assert.deepEqual(filled, [0, 7, 15, 30]);
});

test('other outputs get plain lines, seconds apart', () => {
  const { written, run } = recordProgress({});
  run();
  assert.deepEqual(written, [' 50%  100 of 200 runs  17 runs/s  6 s left\n']);
});

test('other outputs get a line only for progress', () => {
  let seconds = 0;
  const written: string[] = [];
  const clock = { now: () => new Date(seconds * 1_000) };
  const progress = startProgress(null, clock, { write: (text) => written.push(text) });
  for (const done of [0, 0, 7, 7, 7, 8]) {
    seconds += 10;
    progress.report(done);
  }
  assert.deepEqual(written, ['7 runs  14 runs/min\n', '8 runs  8 runs/min\n']);
});

/** 200 runs: 50, 100 and all of them after 3, 6 and 9 seconds. */
function recordProgress(terminal: { isTTY?: boolean; columns?: number }) {
  let seconds = 0;
  const clock = { now: () => new Date(seconds * 1_000) };
  const written: string[] = [];
  const run = (): void => {
    const progress = startProgress(200, clock, { ...terminal, write: (text) => written.push(text) });
    for (const done of [50, 100, 200]) {
      seconds += 3;
      progress.report(done);
    }
    progress.end();
  };
  return { written, run };
}

test('units have their own names', () => {
  assert.equal(
    progressText({ done: 10, total: 20, seconds: 2, unit: 'rows' }),
    ' 50%  10 of 20 rows  5 rows/s  2 s left',
  );
});

test('without a total, shows count and speed only', () => {
  assert.equal(progressText({ done: 0, total: null, seconds: 0, unit: 'rows' }), '0 rows');
  assert.equal(
    progressText({ done: 1_200, total: null, seconds: 2, unit: 'rows' }),
    '1,200 rows  600 rows/s',
  );
  const written: string[] = [];
  const output = { isTTY: true, columns: 80, write: (text: string) => written.push(text) };
  const progress = startProgress(null, { now: () => new Date(0) }, output, 'rows');
  progress.report(5);
  progress.report(5, 10);
  progress.report(6);
  assert.deepEqual(
    written.map((text) => text.replace('\r\u001B[K', '').replaceAll(/[█░]/g, '')),
    ['0 rows', '5 rows', '  50%  5 of 10 rows', '  60%  6 of 10 rows'],
  );
});

test('more than expected is still 100%, and so is a total of 0', () => {
  assert.match(progressText({ done: 30, total: 20, seconds: 2 }), /^100%  30 of 20 runs  15 runs\/s$/);
  assert.equal(progressText({ done: 0, total: 0, seconds: 0 }), '100%  0 of 0 runs');
});
