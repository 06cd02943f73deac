import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { burstUntil, historyOf, jobOf, runOf, type Fields } from '../../../test/harness/dailyRuns.ts';
import { submit } from '../../../test/harness/submission.ts';
import { addDays, daysOf, windowBetween } from '../../platform/lib/days.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/costs/change';

const burst = burstUntil('2026-03-17');

async function organizationWith(runs: Fields[]): Promise<TestOrganization> {
  const organization = await testApp.newOrganization({ plan: 'team' });
  await submit(organization, ...runs);
  return organization;
}

async function ask(organization: TestOrganization, query: Record<string, string | number> = {}) {
  const answer = await organization.get(path, query);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

const burstSentence =
  'Mar 10–12 cost $43.20 more: 3 new macOS 3-core jobs of CI in acme/mobile, from pull request 482. Back to normal since Mar 13.';

describe('an event', async () => {
  const organization = await organizationWith(burst);

  test('begins the sentence, with days, jobs, pull request and end', async () => {
    const { sentence, events } = await ask(organization);
    assert.equal(sentence, `${burstSentence} CI cost $43.20 more (+514.3%) than in the 30 days before.`);
    assert.equal(events.length, 1);
    const [{ jobs, workflow, origin, sentence_parts, costs, ...event }] = events;
    assert.deepEqual(
      [event.kind, event.from, event.to, event.over_since],
      ['new', '2026-03-10', '2026-03-12', '2026-03-13'],
    );
    assert.deepEqual([event.value, event.usual_value, event.change, event.volume], [43.2, 0, 43.2, 43.2]);
    assert.deepEqual(
      jobs.map((job: { name: string; change: number }) => [job.name, job.change]),
      [
        ['ios (1)', 14.4],
        ['ios (2)', 14.4],
        ['ios (3)', 14.4],
      ],
    );
    assert.deepEqual([workflow.name, workflow.repository], ['CI', 'acme/mobile']);
    assert.deepEqual(
      [event.runner, event.previous_runner],
      [{ value: 'macos_3_core', name: 'macOS 3-core' }, null],
    );
    assert.deepEqual(origin, {
      by: 'first',
      date: '2026-03-10',
      pull_request: 482,
      branch: 'new-ios',
      commit: '1a2b3c4d5e6f7a8b',
      actor: 'ann',
      run_id: 'run_api_ci-2026-03-10',
    });
    assert.equal(sentence_parts.map(({ text }: { text: string }) => text).join(''), burstSentence);
    assert.deepEqual(
      sentence_parts.flatMap(({ text, of }: Record<string, string>) => (of ? [[of, text]] : [])),
      [
        ['runner', 'macOS 3-core'],
        ['workflow', 'CI'],
        ['repository', 'acme/mobile'],
        ['pull_request', '482'],
      ],
    );
    const { body } = await organization.get(costs);
    const cost = body.data.groups
      .filter(({ by }: { by: { name: string }[] }) => by[0]!.name.startsWith('ios'))
      .reduce((sum: number, { value }: { value: number }) => sum + value, 0);
    assert.equal(Math.round(cost * 100) / 100, event.value);
  });

  test('is the same whatever the groups, and of what is asked about only', async () => {
    const events = (await ask(organization)).events;
    assert.deepEqual((await ask(organization, { group_by: 'runner', limit: 1 })).events, events);
    assert.deepEqual((await ask(organization, { runner: 'linux_2_core' })).events, []);
  });

  test('is the same in any order of reports, and if they come again', async () => {
    const shuffled = burst.toSorted((a, b) => String(b['run_id']).localeCompare(String(a['run_id'])));
    const other = await organizationWith([...shuffled.slice(20), ...shuffled.slice(0, 20)]);
    await submit(other, ...burst.slice(30));
    const without = ({ events }: { events: { workflow: unknown; costs: string }[] }) =>
      events.map(({ workflow: _, costs: __, ...event }) => event);
    assert.deepEqual(without(await ask(other)), without(await ask(organization)));
  });
});

const sinceMarch: Record<string, [runs: Fields[], sentence: string]> = {
  'longer jobs from a commit': [
    historyOf((day) => ({
      jobs: [jobOf(day, `test-${day}`, day >= '2026-03-09' ? 140 : 60, { name: 'test' })],
      fields: { branch: 'main', commit: `${day.replaceAll('-', '')}abcdef` },
    })),
    'Mar 9–17 cost $4.48 more: job test of CI in acme/mobile took 140 minutes instead of 60, since commit 2026030 on main. Still so on Mar 17.',
  ],
  'another runner from a branch': [
    historyOf((day) => ({
      jobs: [
        jobOf(day, `test-${day}`, 60, {
          name: 'test',
          runner: day >= '2026-03-09' ? 'linux_8_core' : 'linux_2_core',
        }),
      ],
      fields: { branch: 'faster' },
    })),
    'Mar 9–17 cost $10.08 more: job test of CI in acme/mobile ran on Linux 8-core instead of Linux 2-core, first on branch faster. Still so on Mar 17.',
  ],
  'a new workflow': [
    historyOf(() => ({})).concat(
      daysOf(windowBetween('2026-03-09', '2026-03-13')).map((day) =>
        runOf(day, `nightly-${day}`, [jobOf(day, `all-${day}`, 100)], {
          workflow_name: 'Nightly',
          actor: 'bo',
        }),
      ),
    ),
    'Mar 9–13 cost $4.00 more: the new workflow Nightly in acme/mobile, first by bo. Back to normal since Mar 14.',
  ],
  'a workflow that runs each quarter': [
    historyOf(() => ({})).concat(
      ['2025-12-01', '2026-03-03'].map((day) =>
        runOf(day, `licenses-${day}`, [jobOf(day, `all-${day}`, 300)], {
          workflow_name: 'Licenses',
          actor: 'bo',
          commit: `${day.replaceAll('-', '')}abcdef`,
          branch: 'main',
        }),
      ),
    ),
    'Mar 3 cost $2.40 more: Licenses in acme/mobile ran again after 92 days, on branch main. Back to normal since Mar 4.',
  ],
  'a job that runs each quarter beside a new one': [
    historyOf((day) => ({
      jobs:
        day === '2026-03-03'
          ? [jobOf(day, 'soak', 200, { name: 'soak' }), jobOf(day, 'audit', 200, { name: 'audit' })]
          : [],
    })).concat(runOf('2025-12-01', 'first', [jobOf('2025-12-01', 'soak-1', 200, { name: 'soak' })])),
    'Mar 3 cost $3.20 more: 2 jobs of CI in acme/mobile ran, 1 of them new and 1 again after 92 days. Back to normal since Mar 4.',
  ],
  'a burst of the period before, when it cost less': [
    historyOf((day) => ({
      jobs:
        day >= '2026-02-03' && day <= '2026-02-05' ? [jobOf(day, `soak-${day}`, 300, { name: 'soak' })] : [],
      fields: day === '2026-02-03' ? { pull_request: 7, branch: 'soak' } : {},
    })),
    'Feb 3–5 cost $7.20 more: the new job soak of CI in acme/mobile on Linux 2-core, from pull request 7. Back to normal since Feb 6.',
  ],
  'jobs that no longer run': [
    historyOf((day) => ({
      jobs: day >= '2026-03-09' ? [] : [jobOf(day, `e2e-${day}`, 200, { name: 'e2e' })],
    })),
    'Mar 9–17 cost $11.20 less: job e2e of CI in acme/mobile no longer runs. Still so on Mar 17.',
  ],
};

describe('the sentence begins with', () => {
  for (const [name, [runs, expected]] of Object.entries(sinceMarch)) {
    test(name, async () => {
      const { sentence, events } = await ask(await organizationWith(runs));
      assert.ok(sentence.startsWith(`${expected} `), sentence);
      const [{ change, volume, duration, price, mix, value, usual_value }] = events;
      const nanos = (amount: number) => Math.round(amount * 1e9);
      assert.equal(nanos(change), nanos(volume) + nanos(duration) + nanos(price) + nanos(mix));
      assert.equal(nanos(change), nanos(value) - nanos(usual_value));
    });
  }
});

test('calls a workflow new among the groups only if it never ran before', async () => {
  const runs = historyOf(() => ({})).concat(
    [
      ['2025-12-01', 'Licenses'],
      ['2026-03-03', 'Licenses'],
      ['2026-03-04', 'Nightly'],
    ].map(([day, workflow_name]) =>
      runOf(day!, `${workflow_name}-${day}`, [jobOf(day!, `${workflow_name}-${day}`, 100)], {
        workflow_name,
      }),
    ),
  );
  const data = await ask(await organizationWith(runs));
  const statuses = data.groups.map(({ by, status }: { by: { name: string }[]; status: string }) => [
    by[0]!.name.split(' ')[0],
    status,
  ]);
  assert.deepEqual(Object.fromEntries(statuses), { CI: 'continued', Licenses: 'returned', Nightly: 'new' });
  assert.match(data.cause, /more jobs in Licenses/);
});

test('says for how long jobs did not run if earlier ones were removed', async () => {
  const soak = historyOf((day) => ({
    jobs: day === '2026-03-03' ? [jobOf(day, 'soak', 200, { name: 'soak' })] : [],
  }));
  const organization = await organizationWith([
    ...soak,
    runOf('2025-12-01', 'old', [jobOf('2025-12-01', 'old', 1)]),
  ]);
  const removed = {
    facts: 'jobs',
    day: '2025-12-01',
    part: 0,
    name: 'job',
    rows: 0,
    data: Buffer.alloc(0),
  } as const;
  await testApp.app.db
    .insertInto('keptColumns')
    .values({ orgId: organization.orgId, ...removed })
    .execute();
  const [{ kind, sentence, last_ran_on }] = (await ask(organization)).events;
  assert.deepEqual([kind, last_ran_on], ['returned', null]);
  assert.match(sentence, /job soak of CI in acme\/mobile ran for the first time in at least 45 days/);
});

test('says when jobs last ran between periods that are not next to each other', async () => {
  const weekly = historyOf(() => ({})).concat(
    ['2026-02-20', '2026-03-10'].map((day) =>
      runOf(day, `licenses-${day}`, [jobOf(day, `all-${day}`, 300)], { workflow_name: 'Licenses' }),
    ),
  );
  const days = {
    from: '2026-03-02',
    to: '2026-03-15',
    compared_from: '2026-02-02',
    compared_to: '2026-02-15',
  };
  const [{ sentence, last_ran_on }] = (await ask(await organizationWith(weekly), days)).events;
  assert.match(sentence, /Licenses in acme\/mobile ran again after 18 days/);
  assert.equal(last_ran_on, '2026-02-20');
});

test('calls nothing new that ran before, even if it is outside of what is asked about', async () => {
  const moved = historyOf((day) => ({
    jobs: [
      jobOf(day, `ui-${day}`, 10, { name: 'ui', runner: 'macos_3_core' }),
      jobOf(day, `e2e-${day}`, 100, {
        name: 'e2e',
        runner: day >= '2026-03-09' ? 'macos_3_core' : 'linux_2_core',
      }),
    ],
  }));
  const organization = await organizationWith(moved);
  const { events } = await ask(organization, { runner: 'macos_3_core' });
  assert.equal(events[0].kind, 'volume');
  assert.equal((await ask(organization)).events[0].kind, 'mix');
});

test('says no event without days to compare with', async () => {
  const only = daysOf(windowBetween('2026-03-10', '2026-03-17')).map((day) =>
    runOf(day, `ci-${day}`, [jobOf(day, `build-${day}`, day > addDays('2026-03-10', 4) ? 500 : 50)]),
  );
  const { events, sentence } = await ask(await organizationWith(only));
  assert.deepEqual(events, []);
  assert.match(sentence, /^CI cost /);
});
