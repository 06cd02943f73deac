import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Payload } from '../../../../test/payloads/gitHub.ts';
import { at, receivedAt, rejectedPaths } from '../../../../test/payloads/gitHubReadings.ts';
import { gitLabMergeRequest } from '../../../../test/payloads/gitLab.ts';
import type { PullRequestReport } from '../../../ledger/pullRequests/pullRequests.ts';
import { readGitLabEvent } from './readEvent.ts';

const readOf = (attributes: Payload, userId?: unknown) => {
  const { event } = readGitLabEvent('Merge Request Hook', gitLabMergeRequest(attributes, userId), receivedAt);
  assert.equal(event.kind, 'pull_request');
  return (event as { pullRequest: PullRequestReport }).pullRequest;
};

test('merge requests have the state, and the author if the author acts', () => {
  assert.deepEqual(readOf({}), {
    provider: 'gitlab',
    repository: 'acme/backend/api',
    number: 7,
    state: 'open',
    title: 'Fix',
    author: 'mona',
    createdAt: at('2026-11-20T10:00:00Z'),
    endedAt: null,
    observedAt: at('2026-11-20T10:02:00Z'),
  });
  const merged = readOf({ state: 'merged', action: 'merge' }, 9);
  assert.deepEqual([merged.state, merged.author, merged.endedAt], ['merged', null, merged.observedAt]);
  assert.equal(readOf({ state: 'closed', action: 'close' }).state, 'closed');
  assert.equal(readOf({ state: 'locked', action: 'update' }).state, 'open');
  assert.equal(readOf({ draft: true, work_in_progress: true }).state, 'draft');
  assert.equal(readOf({ work_in_progress: true }).state, 'draft');
  assert.equal(readOf({ draft: false, work_in_progress: false }).state, 'open');
  assert.equal(readOf({ draft: true, state: 'closed', action: 'close' }).state, 'closed');
});

test('merge requests that have ended are not read again, because later events do not say when they ended', () => {
  const { event } = readGitLabEvent(
    undefined,
    gitLabMergeRequest({ state: 'merged', action: 'update' }),
    receivedAt,
  );
  assert.equal(event.kind, 'ignored');
  assert.deepEqual(
    rejectedPaths(() => readOf({ state: 'away' })),
    ['object_attributes.state'],
  );
});
