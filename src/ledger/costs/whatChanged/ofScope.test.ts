import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp } from '../../../../test/harness/app.ts';
import { burstUntil, historyOf, jobOf, type Fields } from '../../../../test/harness/dailyRuns.ts';
import { submit } from '../../../../test/harness/submission.ts';
import { inSnapshot } from '../../../platform/db/database.ts';
import { windowBetween } from '../../../platform/lib/days.ts';
import { defaultThresholdNanos } from '../anomaly.ts';
import type { CostScope } from '../scopes.ts';
import { findHappened } from './ofScope.ts';

const { app, newOrganization } = await sharedTestApp();

async function happened(runs: Fields[], scope: CostScope, maxRows?: number): Promise<string | null> {
  const organization = await newOrganization({ plan: 'team' });
  await submit(organization, ...runs);
  const { orgId } = organization;
  const found = await inSnapshot(app.db, (tx) =>
    findHappened(
      tx,
      { orgId, providers: app.providers },
      {
        scope,
        window: windowBetween('2026-03-01', '2026-03-17'),
        rule: { thresholdNanos: defaultThresholdNanos, today: '2026-03-18' },
        ...(maxRows !== undefined && { maxRows }),
      },
    ),
  );
  return found && found.parts.map(({ text }) => text).join('');
}

const burst = burstUntil('2026-03-17');
const ofRepository: CostScope = [{ dimension: 'repository', values: ['acme/mobile'] }];

test('with too many jobs to read, says what happened to the workflow', async () => {
  const expected =
    'Mar 10–12 cost $43.20 more: jobs of CI in acme/mobile ran on macOS 3-core instead of Linux 2-core. Back to normal since Mar 13.';
  for (const scope of [[], ofRepository]) assert.equal(await happened(burst, scope, 0), expected);
  assert.match(
    (await happened(burst, ofRepository))!,
    /3 new macOS 3-core jobs of CI in acme\/mobile, from pull request 482/,
  );
});

test('and nothing if only single jobs know what the scope asks for', async () => {
  const scope: CostScope = [{ dimension: 'branch', values: ['new-ios'] }];
  assert.equal(await happened(burst, scope, 0), null);
});

test('says nothing of a burst before the window', async () => {
  const earlier = historyOf((day) => ({
    jobs:
      day >= '2026-02-10' && day <= '2026-02-12' ? [jobOf(day, `soak-${day}`, 300, { name: 'soak' })] : [],
  }));
  for (const maxRows of [0, undefined]) assert.equal(await happened(earlier, [], maxRows), null);
});
