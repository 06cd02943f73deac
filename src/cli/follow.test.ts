import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandError } from './faults.ts';
import { follow } from './follow.ts';
import type { Answer, Session } from './session.ts';

const running = { status: 'running', progress: { done: 1, total: 3 }, ended_at: null, error: null };
const done = {
  ...running,
  status: 'done',
  progress: { done: 3, total: 3 },
  ended_at: '2026-03-18T12:00:30Z',
};

/** A session that gives these answers one after the other. */
function sessionOf(answers: (object | Error)[]): Session {
  const left = [...answers];
  const call = (name: string, input?: object): Promise<Answer> => {
    assert.deepEqual([name, input], ['reprice get', { id: 'rpr_1' }]);
    const answer = left.shift();
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  return { call } as Session;
}

const asked = { get: 'reprice get', input: { id: 'rpr_1' }, unit: 'jobs' };

test('returns the ended task, and says each note once', async (t) => {
  const printed: string[] = [];
  t.mock.method(console, 'error', (text: string) => void printed.push(text));
  const waiting = { ...running, why: 'GitHub is away.' };
  const session = sessionOf([running, waiting, waiting, running, done]);
  assert.deepEqual(await follow(session, { ...asked, noteOf: ({ why = '' }) => why }), done);
  assert.deepEqual(printed, ['GitHub is away.']);
});

test('throws what a task failed with', async () => {
  const failed = { ...done, status: 'failed', error: 'The price list is gone.' };
  await assert.rejects(
    follow(sessionOf([running, failed]), asked),
    /^CommandError: The price list is gone\.$/,
  );
});

test('after Ctrl-C, says how to look again and how to cancel', async (t) => {
  const printed: string[] = [];
  t.mock.method(console, 'error', (text: string) => void printed.push(text));
  const session = sessionOf([running]);
  assert.equal(await follow(session, { ...asked, signal: AbortSignal.abort() }), undefined);
  assert.match(
    printed.join('\n'),
    /^Stopped watching; the reprice continues\. To see it: .+ reprice get rpr_1\. To cancel it: .+ reprice cancel rpr_1$/,
  );
});

test('says that the task goes on if the server is away', async () => {
  const away = new CommandError('http://127.0.0.1:1 cannot be reached: refused', 'away');
  const session = sessionOf([running, away]);
  await assert.rejects(follow(session, { ...asked, again: 'reprice watch' }), (error: CommandError) => {
    assert.equal(error.kind, 'away');
    assert.match(
      error.message,
      /refused\nThe reprice continues when the server runs\. To see it: .+ watch rpr_1/,
    );
    return true;
  });
});
