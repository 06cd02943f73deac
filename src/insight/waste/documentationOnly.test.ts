/** Runs for pull requests that change documentation only: what must be found, and what looks alike and must not be. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { newSource } from '../../../test/harness/source.ts';
import { gitHubJob, gitHubRun } from '../../../test/payloads/gitHub.ts';
import { recordPullRequests, setChanges, type Changes } from '../../ledger/pullRequests/pullRequests.ts';

const testApp = await startTestApp();
const { app } = testApp;
testApp.clock.set('2026-03-18T12:00:00Z');

type Workflow = {
  name?: string;
  job?: string;
  /** Of the pull request with this number. Null if the workflow does not run on it. */
  ran?: (number: number) => string | null;
  attempt?: number;
};
type History = { changes?: (number: number) => Changes | null; workflows?: readonly Workflow[] };

const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
/** Six change documentation, then six something else. */
const halves = (number: number): Changes => (number <= 6 ? 'documentation' : 'other');

async function fixesOf({ changes = halves, workflows = [{}] }: History) {
  const organization = await testApp.newOrganization();
  const { orgId } = organization;
  const source = await newSource(testApp, organization);
  let id = 0;
  for (const number of numbers) {
    const day = `2026-03-${String(number).padStart(2, '0')}`;
    const created_at = `${day}T04:00:00Z`;
    for (const { name = 'CI', job = 'test', ran = () => 'success', attempt: run_attempt = 1 } of workflows) {
      const conclusion = ran(number);
      if (conclusion === null) continue;
      const common = { repository: 'acme/api', created_at, conclusion, run_attempt };
      const run = {
        id: ++id,
        run_number: id,
        name,
        path: `.github/workflows/${name.toLowerCase()}.yml`,
        event: 'pull_request',
        head_branch: `change-${number}`,
        pull_requests: [{ number, head: { ref: `change-${number}` } }],
      };
      await source.deliver('workflow_run', gitHubRun({ ...common, ...run }));
      const took = { started_at: created_at, completed_at: `${day}T04:10:00Z` };
      await source.deliver('workflow_job', gitHubJob({ ...common, ...took, id, run_id: id, name: job }));
    }
    const place = { provider: 'github', repository: 'acme/api', number };
    const endedAt = new Date(`${day}T05:00:00Z`);
    const times = { createdAt: null, endedAt, observedAt: endedAt };
    await recordPullRequests(app, orgId, [
      { ...place, ...times, state: 'merged', title: null, author: null },
    ]);
    const read = changes(number);
    if (read) await setChanges(app.db, orgId, place, read);
  }
  const { status, body, text } = await organization.get('/api/v1/waste/fixes', { days: 30 });
  assert.equal(status, 200, text);
  return { organization, fixes: body.data.fixes.filter((fix: { evidence: object }) => fix.evidence) };
}

test('runs on changes of documentation only are found, with their pull requests and lines to copy', async () => {
  const { organization, fixes } = await fixesOf({});
  assert.equal(fixes.length, 1);
  const [{ id, category, evidence, suggestions, saving, cost }] = fixes;
  const { newest, ...counts } = evidence;
  assert.deepEqual(counts, {
    runs: 6,
    of_runs: 12,
    events: ['pull_request'],
    every: null,
    duplicate_of: null,
    pull_requests: 6,
  });
  assert.deepEqual(
    newest.map((run: Record<string, unknown>) => [run['number'], run['pull_request']]),
    [6, 5, 4, 3, 2].map((number) => [number, number]),
  );
  assert.deepEqual([category, saving], ['documentation_only', cost]);
  assert.ok(saving > 0);
  assert.match(suggestions[0].text, /^6 of 12 runs .* 6 pull requests .* stay pending/);
  assert.match(suggestions[0].yaml, /^ {2}pull_request:\n {4}paths-ignore:\n {6}- '\*\*\/\*\.md'$/m);
  const file = {
    path: '.github/workflows/ci.yml',
    content: 'on: [push, pull_request]\njobs:\n  test:\n    runs-on: ubuntu-latest\n',
  };
  const patch = await organization.send('POST', `/api/v1/fixes/${id}/patch`, { files: [file] });
  assert.equal(patch.status, 200, patch.text);
  assert.match(patch.body.data.diff, /^\+ {2}push:\n\+ {4}paths-ignore: \[.*\]\n\+ {2}pull_request:\n/m);
  // Before somebody merges it, with a check that nothing would finish any more.
  assert.match(patch.body.data.changed[0], /required, it would stay pending and block the merge/);
  const deploying = { ...file, content: `${file.content}    environment: production\n` };
  const part = (await organization.send('POST', `/api/v1/fixes/${id}/patch`, { files: [deploying] })).body
    .data;
  assert.deepEqual(part.changed, patch.body.data.changed);
  assert.match(part.by_hand[0].reason, /^test may do more on pushes/);
  const dismissed = { status: 'dismissed', reason: 'A check is required' };
  const decided = await organization.send('PUT', `/api/v1/waste/fixes/${id}/decision`, dismissed);
  assert.equal(decided.status, 200, decided.text);
  const stranger = await testApp.newOrganization();
  assert.deepEqual((await stranger.get('/api/v1/waste/fixes')).body.data.fixes, []);
});

test('another workflow that is always canceled is only that', async () => {
  const { fixes } = await fixesOf({ workflows: [{}, { ran: () => 'cancelled', name: 'Old' }] });
  assert.deepEqual(
    fixes.map((fix: { category: string; workflow: string }) => `${fix.workflow} ${fix.category}`).toSorted(),
    ['CI documentation_only', 'Old always_canceled'],
  );
});

const onDocs = (result: string | null) => (number: number) => (number <= 6 ? result : 'success');
const lookAlikes: Record<string, History> = {
  'pull requests that were never read': { changes: () => null },
  'pull requests with too many files': { changes: (number) => (number <= 6 ? 'unknown' : 'other') },
  'pull requests that change something else too': { changes: () => 'other' },
  'four pull requests': { changes: (number) => (number <= 4 ? 'documentation' : 'other') },
  'a workflow that builds the documentation': { workflows: [{ name: 'Docs' }] },
  'a job that checks links': { workflows: [{ job: 'check-links' }] },
  'a workflow that checks titles': { workflows: [{ name: 'Title' }] },
  'a preview that is deployed': { workflows: [{ job: 'deploy' }] },
  'a failure that documentation caused': {
    workflows: [{ ran: (number) => (number === 3 ? 'failure' : 'success') }],
  },
  'runs that somebody repeated': { workflows: [{ attempt: 2 }] },
  'a workflow that skips documentation': { workflows: [{ ran: onDocs(null) }] },
  'a workflow of some folders': {
    workflows: [{ ran: (number) => (number <= 11 ? 'success' : null), name: 'Guides' }, { name: 'Docs' }],
    changes: (number) => (number <= 6 ? 'documentation' : 'other'),
  },
};
for (const [what, history] of Object.entries(lookAlikes))
  test(`${what}: nothing is found`, async () => {
    assert.deepEqual((await fixesOf(history)).fixes, []);
  });
