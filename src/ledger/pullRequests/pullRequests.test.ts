import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sharedTestApp } from '../../../test/harness/app.ts';
import { findPullRequests, recordPullRequests, setChanges, type PullRequestReport } from './pullRequests.ts';

const testApp = await sharedTestApp();
const { app } = testApp;
const at = (minute: number) => new Date(Date.UTC(2026, 2, 18, 12, minute));

const anyReport: fc.Arbitrary<PullRequestReport> = fc.record({
  provider: fc.constant('github'),
  repository: fc.constantFrom('acme/api', 'Acme/API'),
  number: fc.constantFrom(1, 2),
  state: fc.constantFrom('open', 'draft', 'merged', 'closed'),
  title: fc.constantFrom('Fix', 'Fix it', null),
  author: fc.constantFrom('mona', null),
  createdAt: fc.constantFrom(at(0), null),
  endedAt: fc.constantFrom(at(1), at(2), null),
  observedAt: fc.constantFrom(at(1), at(2), at(3)),
});

async function rowsAfter(reports: readonly PullRequestReport[]) {
  const { orgId } = await testApp.newOrganization();
  for (const report of reports) await recordPullRequests(app, orgId, [report]);
  const rows = await findPullRequests(app.db, orgId, { repositories: ['acme/api'], numbers: [1, 2] });
  return rows.toSorted((a, b) => a.number - b.number);
}

test('any order and repetition of reports gives the same pull requests', async () => {
  const anyHistory = fc
    .array(anyReport, { minLength: 1, maxLength: 5 })
    .chain((reports) =>
      fc.tuple(
        fc.constant(reports),
        fc.shuffledSubarray([...reports, ...reports], { minLength: 2 * reports.length }),
      ),
    );
  await fc.assert(
    fc.asyncProperty(anyHistory, async ([reports, again]) => {
      assert.deepEqual(await rowsAfter(again), await rowsAfter(reports));
    }),
    { numRuns: 25 },
  );
});

test('the newest fact counts, and a merged pull request stays merged', async () => {
  const first: PullRequestReport = {
    provider: 'github',
    repository: 'acme/api',
    number: 1,
    state: 'open',
    title: 'Fix',
    author: 'mona',
    createdAt: at(0),
    endedAt: null,
    observedAt: at(1),
  };
  const closed = { ...first, state: 'closed', endedAt: at(2), observedAt: at(2), author: null } as const;
  const reopened = { ...first, observedAt: at(3) };
  const merged = { ...first, state: 'merged', endedAt: at(4), observedAt: at(4) } as const;
  const stateAfter = async (...reports: PullRequestReport[]) => {
    const [row] = await rowsAfter(reports);
    return [row!.state, row!.author, row!.endedAt];
  };
  assert.deepEqual(await stateAfter(first, closed), ['closed', 'mona', at(2)]);
  assert.deepEqual(await stateAfter(reopened, closed), ['open', 'mona', null]);
  assert.deepEqual(await stateAfter(merged, closed, { ...reopened, observedAt: at(9) }), [
    'merged',
    'mona',
    at(4),
  ]);
});

test('a draft is open, until it is ready or ends', async () => {
  const draft: PullRequestReport = {
    provider: 'github',
    repository: 'acme/api',
    number: 1,
    state: 'draft',
    title: 'Fix',
    author: 'mona',
    createdAt: at(0),
    endedAt: null,
    observedAt: at(1),
  };
  const ready = { ...draft, state: 'open', observedAt: at(2) } as const;
  const stateAfter = async (...reports: PullRequestReport[]) => (await rowsAfter(reports))[0]!.state;
  assert.equal(await stateAfter(ready, draft), 'open');
  assert.equal(await stateAfter(ready, { ...draft, observedAt: at(3) }), 'draft');
  // Within a second, nothing says which was first.
  assert.equal(await stateAfter({ ...ready, observedAt: at(1) }, draft), 'open');
  assert.equal(await stateAfter(draft, { ...ready, state: 'closed', endedAt: at(2) }), 'closed');
});

test('what it changed is unknown again once it ends again', async () => {
  const { orgId } = await testApp.newOrganization();
  const place = { provider: 'github', repository: 'Acme/API', number: 1 };
  const report = { ...place, title: null, author: null, createdAt: null };
  const record = (state: 'open' | 'closed', minute: number) =>
    recordPullRequests(app, orgId, [
      { ...report, state, endedAt: state === 'open' ? null : at(minute), observedAt: at(minute) },
    ]);
  const changes = async () => {
    const query = app.db.selectFrom('pullRequests').select('changes').where('orgId', '=', orgId);
    return (await query.executeTakeFirst())?.changes;
  };
  await record('open', 1);
  await setChanges(app.db, orgId, place, 'documentation');
  assert.equal(await changes(), null);
  await record('closed', 2);
  await setChanges(app.db, orgId, place, 'documentation');
  await record('closed', 2);
  assert.equal(await changes(), 'documentation');
  await record('open', 3);
  assert.equal(await changes(), null);
});

test('costs are new once a state is, and stay as they are otherwise', async () => {
  const organization = await testApp.newOrganization();
  const versionOf = async () => {
    const { rows } = await app.db.executeQuery<{ costsVersion: bigint }>(
      app.db
        .selectFrom('organizations')
        .select('costsVersion')
        .where('orgId', '=', organization.orgId)
        .compile(),
    );
    return rows[0]!.costsVersion;
  };
  const report = fc.sample(anyReport, { numRuns: 1, seed: 1 })[0]!;
  const before = await versionOf();
  await recordPullRequests(app, organization.orgId, [report]);
  const after = await versionOf();
  assert.ok(after > before);
  await recordPullRequests(app, organization.orgId, [report]);
  assert.equal(await versionOf(), after);
});
