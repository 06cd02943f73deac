import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { migrate } from '../src/platform/db/migrate.ts';
import { startTestApp } from './harness/app.ts';
import { anomalyNotice, budgetNotice, withWords } from './harness/notices.ts';

const { app } = await startTestApp();
const { db } = app;

/** Clears the database and runs only these migrations. */
async function resetWith(...names: string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'runcost-migrations-'));
  after(() => rmSync(folder, { recursive: true }));
  for (const name of names) {
    copyFileSync(new URL(`../migrations/${name}`, import.meta.url), join(folder, name));
  }
  await sql`drop schema public cascade; create schema public`.execute(db);
  assert.deepEqual(await migrate(db, pathToFileURL(`${folder}/`)), names);
}

const acme = '00000000-0000-4000-8000-00000000000a';
const beta = '00000000-0000-4000-8000-00000000000b';

async function insertRun(orgId: string, id: string, workflowId: string): Promise<void> {
  await sql`
    insert into runs (org_id, id, workflow_id, provider, repository, reported_attempt, reported_status, reported_at,
      attempt, status, created_at, duration_seconds, cost_nanos)
    values (${orgId}, ${id}, ${workflowId}, 'github', 'acme/api', 1, 'completed', now(), 1, 'completed', now(), 0, 0)
  `.execute(db);
}

type OldJob = {
  status?: 'in_progress';
  completedAt?: string | null;
  isCarriedOver?: boolean;
  kind?: string | null;
  minutes: number;
  nanos: bigint;
};

async function insertJobs(orgId: string, runId: string, jobs: OldJob[]): Promise<void> {
  for (const [index, job] of jobs.entries()) {
    const { status = 'completed', completedAt = '2026-03-18T12:00:00Z', isCarriedOver = false } = job;
    const { kind = 'linux_2_core' } = job;
    await sql`
      insert into jobs (org_id, run_id, attempt, job_id, labels, status, completed_at, observed_at, is_carried_over,
        runner_kind, runner_rule, billed_minutes, nanos_per_minute, cost_nanos, is_unpriced, flags)
      values (${orgId}, ${runId}, 1, ${String(index)}, '{}', ${status}, ${completedAt}, now(), ${isCarriedOver},
        ${kind}, 'label', ${job.minutes}, 0, ${job.nanos}, ${kind === null}, '{}')
    `.execute(db);
  }
}

test('old jobs are in the costs by runner, as if they were recorded today', async () => {
  await resetWith('0001_foundation.sql');
  await insertRun(acme, 'run-1', 'ci');
  await insertRun(acme, 'run-2', 'deploy');
  await insertRun(beta, 'run-1', 'ci');
  await insertJobs(acme, 'run-1', [
    { minutes: 5, nanos: 40n },
    { minutes: 7, nanos: 56n },
    { minutes: 3, nanos: 48n, kind: 'windows_2_core' },
    { minutes: 2, nanos: 0n, kind: null },
    { minutes: 1, nanos: 8n, completedAt: '2026-03-18T23:59:59.999Z' },
    { minutes: 1, nanos: 8n, completedAt: '2026-03-19T00:00:00Z' },
    { minutes: 9, nanos: 72n, isCarriedOver: true },
    { minutes: 9, nanos: 72n, status: 'in_progress' },
    { minutes: 9, nanos: 72n, completedAt: null },
  ]);
  await insertJobs(acme, 'run-2', [{ minutes: 4, nanos: 32n }]);
  await insertJobs(beta, 'run-1', [{ minutes: 6, nanos: 9_000_000_000_000n }]);

  const ran = await migrate(db);
  assert.equal(ran[0], '0002_alerts.sql');
  const rows = await db
    .selectFrom('runnerDays')
    .selectAll()
    .orderBy('orgId')
    .orderBy('day')
    .orderBy('workflowId')
    .orderBy('runnerKind')
    .execute();
  assert.deepEqual(
    rows.map((row) => [
      row.orgId,
      row.day,
      row.workflowId,
      row.runnerKind,
      row.jobs,
      row.minutes,
      row.costNanos,
    ]),
    [
      [acme, '2026-03-18', 'ci', 'linux_2_core', 3n, 13n, 104n],
      [acme, '2026-03-18', 'ci', 'unpriced', 1n, 2n, 0n],
      [acme, '2026-03-18', 'ci', 'windows_2_core', 1n, 3n, 48n],
      [acme, '2026-03-18', 'deploy', 'linux_2_core', 1n, 4n, 32n],
      [acme, '2026-03-19', 'ci', 'linux_2_core', 1n, 1n, 8n],
      [beta, '2026-03-18', 'ci', 'linux_2_core', 1n, 6n, 9_000_000_000_000n],
    ],
  );
});

/** Clears the database and runs the migrations before this number. */
async function resetBefore(number: string): Promise<void> {
  const names = readdirSync(new URL('../migrations/', import.meta.url)).filter((name) => name < number);
  await resetWith(...names.toSorted());
}

test('an organization that chose a price list before 0012 has chosen it, and no other', async () => {
  await resetBefore('0012');
  const gamma = '00000000-0000-4000-8000-00000000000c';
  for (const [orgId, details] of [
    [acme, { book_id: 'github_2026', before: { book_id: 'github_2025' } }],
    [beta, { included_minutes: null, before: { included_minutes: { minutes: 1 } } }],
    [gamma, null],
  ] as const) {
    await sql`
      insert into organizations (org_id, name, plan, created_at, updated_at) values (${orgId}, 'x', 'team', now(), now())
    `.execute(db);
    if (details === null) continue;
    await sql`
      insert into audit_entries (org_id, id, created_at, actor, action, target, details)
      values (${orgId}, ${orgId}, '2026-03-01T00:00:00Z', 'cli', 'pricing.update', ${orgId}, ${JSON.stringify(details)})
    `.execute(db);
  }
  assert.equal((await migrate(db))[0], '0012_price_list_choice.sql');
  const rows = await db
    .selectFrom('organizations')
    .select(['orgId', 'priceBookChosenAt'])
    .orderBy('orgId')
    .execute();
  assert.deepEqual(
    rows.map(({ orgId, priceBookChosenAt }) => [orgId, priceBookChosenAt?.toISOString() ?? null]),
    [
      [acme, '2026-03-01T00:00:00.000Z'],
      [beta, null],
      [gamma, null],
    ],
  );
});

test('old triggers have the type that they had then, whatever the alert is now', async () => {
  await resetBefore('0023');
  const alertId = budgetNotice.alert.id;
  await sql`
    insert into organizations (org_id, name, plan, created_at, updated_at) values (${acme}, 'x', 'team', now(), now())
  `.execute(db);
  await sql`
    insert into alerts (org_id, id, name, alert_type, threshold_nanos, check_frequency, period, notify_email, enabled,
      state, next_check_at, created_at, updated_at)
    values (${acme}, ${alertId}, 'x', 'anomaly', 1, 'daily', 'month', true, true, 'ok', now(), now(), now())
  `.execute(db);
  for (const [id, baseline] of [
    ['trg_budget', null],
    ['trg_anomaly', 5n],
  ] as const) {
    await sql`
      insert into alert_triggers (org_id, id, alert_id, triggered_at, current_nanos, threshold_nanos, observed_nanos,
        baseline_nanos, period_start, period_end, explanation)
      values (${acme}, ${id}, ${alertId}, now(), 1, 1, 1, ${baseline}, '2026-03-01', '2026-03-31', '{}')
    `.execute(db);
  }

  assert.equal((await migrate(db))[0], '0023_trigger_types.sql');
  const rows = await db
    .selectFrom('alertTriggers')
    .select(['id', 'alertType', 'scope'])
    .orderBy('id')
    .execute();
  assert.deepEqual(rows, [
    { id: 'trg_anomaly', alertType: 'anomaly', scope: { type: 'organization' } },
    { id: 'trg_budget', alertType: 'budget', scope: { type: 'organization' } },
  ]);
});

test('unsent notifications get their texts', async () => {
  await resetBefore('0023');
  await sql`
    insert into organizations (org_id, name, plan, created_at, updated_at) values (${acme}, 'x', 'team', now(), now())
  `.execute(db);
  // The texts of this migration have two decimals; the current ones have one.
  const spike = withWords({ ...anomalyNotice, currentValue: '182.7' });
  const bySameTime = withWords({ ...spike, period: { start: '2026-06-18', end: '2026-06-18' } });
  const uncompared = withWords({ ...spike, baseline: null, thresholdValue: '12.5' });
  const odd = withWords({ ...budgetNotice, currentValue: '1234567.899', thresholdValue: '1000000.125' });
  const notices = { a: budgetNotice, b: spike, c: bySameTime, d: uncompared, e: odd };
  for (const [id, { words: _, ...notice }] of Object.entries(notices)) {
    await sql`
      insert into notifications (org_id, id, trigger_id, channel, recipient, notice, status, attempts, due_at, created_at)
      values (${acme}, ${id}, 'trg', 'chat', '', ${JSON.stringify(notice)}, 'pending', 1, now(), now())
    `.execute(db);
  }

  await migrate(db);
  const rows = await db.selectFrom('notifications').select(['id', 'notice']).orderBy('id').execute();
  assert.deepEqual(Object.fromEntries(rows.map(({ id, notice }) => [id, notice])), notices);
});

test('budgets keep the shares that they have announced', async () => {
  await resetBefore('0025');
  await sql`
    insert into organizations (org_id, name, plan, created_at, updated_at) values (${acme}, 'x', 'team', now(), now())
  `.execute(db);
  const shares = [{ periodStart: '2026-03-01', budgetNanos: '10000000000', percentages: [50, 75] }];
  for (const [id, announced, since] of [
    [acme, shares, '2026-03-01'],
    [beta, [], null],
  ] as const) {
    await sql`
      insert into alerts (org_id, id, name, alert_type, threshold_nanos, check_frequency, period, notify_email, enabled,
        state, next_check_at, told, told_since, created_at, updated_at)
      values (${acme}, ${id}, 'x', 'budget', 1, 'daily', 'month', true, true, 'ok', now(), ${JSON.stringify(announced)},
        ${since}, now(), now())
    `.execute(db);
  }

  assert.equal((await migrate(db))[0], '0025_announced_shares.sql');
  const rows = await db.selectFrom('alerts').select(['announced', 'announcedSince']).orderBy('id').execute();
  assert.deepEqual(rows, [
    { announced: shares, announcedSince: '2026-03-01' },
    { announced: [], announcedSince: null },
  ]);
});

test('old jobs are in the sums for net cost, and included minutes become billing terms', async () => {
  await resetBefore('0029');
  for (const [orgId, plan, minutes] of [
    [acme, 'team', null],
    [beta, null, 500],
  ] as const) {
    await sql`
      insert into organizations (org_id, name, plan, created_at, updated_at, included_plan, included_minutes)
      values (${orgId}, 'x', 'team', now(), now(), ${plan}, ${minutes})
    `.execute(db);
  }
  for (const [id, provider, isPrivate, path] of [
    ['run-1', 'github', true, null],
    ['run-2', 'github', false, null],
    ['run-3', 'github.git.acme.example', null, 'dynamic/dependabot/dependabot-updates'],
    ['run-4', 'gitlab', false, null],
  ] as const) {
    await insertRun(acme, id, 'ci');
    await sql`
      update runs set provider = ${provider}, is_private = ${isPrivate}, workflow_path = ${path} where id = ${id}
    `.execute(db);
    await insertJobs(acme, id, [
      { minutes: 5, nanos: 40n },
      { minutes: 1, nanos: 8n },
      { minutes: 9, nanos: 72n, isCarriedOver: true },
      { minutes: 9, nanos: 72n, status: 'in_progress', completedAt: null },
    ]);
  }

  assert.equal((await migrate(db))[0], '0029_net_cost.sql');
  const sums = await db.selectFrom('chargeDays').selectAll().orderBy('provider').orderBy('isFree').execute();
  assert.deepEqual(
    sums.map((row) => [
      row.day,
      row.provider,
      row.runnerKind,
      row.isFree,
      row.jobs,
      row.minutes,
      row.costNanos,
    ]),
    [
      ['2026-03-18', 'github', 'linux_2_core', false, 2n, 6n, 48n],
      ['2026-03-18', 'github', 'linux_2_core', true, 2n, 6n, 48n],
      ['2026-03-18', 'github.git.acme.example', 'linux_2_core', true, 2n, 6n, 48n],
      ['2026-03-18', 'gitlab', 'linux_2_core', false, 2n, 6n, 48n],
    ],
  );
  const terms = await db.selectFrom('billingTerms').selectAll().orderBy('orgId').execute();
  const always = { provider: 'github', effectiveFrom: '1970-01-01', discount: 0 };
  assert.deepEqual(terms, [
    { ...always, orgId: acme, includedPlan: 'team', includedMinutes: null },
    { ...always, orgId: beta, includedPlan: null, includedMinutes: 500 },
  ]);
});

test('sums by runner say of which provider and whether free, also where a workflow has both', async () => {
  await resetBefore('0033');
  for (const [id, workflow, provider, isPrivate, path] of [
    ['run-1', 'alike', 'github', false, null],
    ['run-2', 'alike', 'github', null, 'dynamic/pages/pages-build-deployment'],
    ['run-3', 'mixed', 'github', true, null],
    ['run-4', 'mixed', 'github', false, null],
    ['run-5', 'mixed', 'gitlab', false, null],
  ] as const) {
    await insertRun(acme, id, workflow);
    await sql`
      update runs set provider = ${provider}, is_private = ${isPrivate}, workflow_path = ${path} where id = ${id}
    `.execute(db);
    await insertJobs(acme, id, [
      { minutes: 5, nanos: 40n },
      { minutes: 1, nanos: 0n, kind: null },
      { minutes: 9, nanos: 72n, isCarriedOver: true },
    ]);
  }
  await sql`
    insert into runner_days values
      (${acme}, '2026-03-18', 'alike', 'linux_2_core', 2, 10, 80),
      (${acme}, '2026-03-18', 'alike', 'unpriced', 2, 2, 0),
      (${acme}, '2026-03-18', 'mixed', 'linux_2_core', 3, 15, 120),
      (${acme}, '2026-03-18', 'mixed', 'unpriced', 3, 3, 0),
      (${acme}, '2026-03-18', 'renamed', 'linux_2_core', 0, 0, 0)
  `.execute(db);

  assert.equal((await migrate(db))[0], '0033_charges_by_workflow.sql');
  const sums = await db
    .selectFrom('runnerDays')
    .selectAll()
    .orderBy('workflowId')
    .orderBy('runnerKind')
    .orderBy('provider')
    .orderBy('isFree')
    .execute();
  assert.deepEqual(
    sums.map((row) => [
      row.workflowId,
      row.runnerKind,
      row.provider,
      row.isFree,
      row.jobs,
      row.minutes,
      row.costNanos,
    ]),
    [
      ['alike', 'linux_2_core', 'github', true, 2n, 10n, 80n],
      ['alike', 'unpriced', 'github', true, 2n, 2n, 0n],
      ['mixed', 'linux_2_core', 'github', false, 1n, 5n, 40n],
      ['mixed', 'linux_2_core', 'github', true, 1n, 5n, 40n],
      ['mixed', 'linux_2_core', 'gitlab', false, 1n, 5n, 40n],
      ['mixed', 'unpriced', 'github', false, 1n, 1n, 0n],
      ['mixed', 'unpriced', 'github', true, 1n, 1n, 0n],
      ['mixed', 'unpriced', 'gitlab', false, 1n, 1n, 0n],
    ],
  );
});

test('members were last seen when they used what is known, or signed in', async () => {
  await resetBefore('0068');
  const [march, april] = ['2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z'];
  const statements = `
    insert into organizations (org_id, name, plan, created_at, updated_at) values ('${acme}', 'x', 'team', now(), now());
    insert into members (org_id, id, email, role, alert_emails, created_at, updated_at)
    select '${acme}', name, name, 'member', true, now(), now() from unnest('{here,token,gone,new}'::text[]) name;
    insert into tokens (org_id, id, member_id, name, role, scopes, secret_hash, created_at, last_used_at) values
      ('${acme}', 'laptop', 'token', 'x', 'member', '{}', '', now(), '${march}'),
      ('${acme}', 'service', null, 'x', 'member', '{}', '', now(), '${march}');
    insert into sessions (org_id, id, member_id, token_id, secret_hash, created_at, expires_at, last_seen_at) values
      ('${acme}', '1', 'here', null, '', now(), now(), '${march}'),
      ('${acme}', '2', 'here', null, '', now(), now(), '${april}'),
      ('${acme}', '3', null, 'laptop', '', now(), now(), '${april}');
    insert into audit_entries (org_id, id, created_at, actor, action, target, details)
    values ('${acme}', '${acme}', '${april}', 'x', 'session.create', 'ses_1', '{"member_id": "gone"}')
  `;
  await sql.raw(statements).execute(db);
  assert.equal((await migrate(db))[0], '0068_members_seen.sql');
  const rows = await db.selectFrom('members').select(['id', 'lastSeenAt']).orderBy('id').execute();
  assert.deepEqual(
    rows.map(({ id, lastSeenAt }) => [id, lastSeenAt?.getTime() ?? null]),
    [
      ['gone', Date.parse(april)],
      ['here', Date.parse(april)],
      ['new', null],
      ['token', Date.parse(april)],
    ],
  );
});
