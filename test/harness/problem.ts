import assert from 'node:assert/strict';
import type { Answer } from './app.ts';

/** If `paths` is given, the problem must name exactly these fields. */
export function assertProblem(answer: Answer, status: number, code: string, paths?: string[]): void {
  assert.equal(answer.status, status, answer.text.slice(0, 500));
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  assert.equal(answer.body.status, status);
  assert.equal(answer.body.code, code, answer.text.slice(0, 500));
  assert.equal(answer.body.request_id, answer.headers['x-request-id']);
  if (!paths) return;
  const named = ((answer.body.errors ?? []) as { path: string }[]).map(({ path }) => path);
  assert.deepEqual(named.toSorted(), paths.toSorted(), answer.text.slice(0, 500));
}
