import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newBilledCompany } from '../../../test/harness/billedCompany.ts';
import type { Json } from '../../../test/harness/commands.ts';
import { gitHubJob, gitHubRun, type Payload } from '../../../test/payloads/gitHub.ts';
import { readGitHubEvent } from '../../intake/providers/github/readEvent.ts';
import type { Actor } from '../../platform/lib/actor.ts';
import { fraction } from '../../platform/lib/fractions.ts';
import { getSummary } from '../costs/summary.ts';
import {
  consume as consumeBy,
  drawRatio as drawRatioBy,
  getIncludedMinutes,
  type UsedMinutes,
} from './includedMinutes.ts';

const inMinutes = { unit: 'minutes', usd: null, draw: 'list_price_ratio' };
const testApp = await startTestApp();
const { providers } = testApp.app;
const consume = (usage: UsedMinutes[], included: number | null, now: Date) =>
  consumeBy(usage, included === null ? null : fraction(BigInt(included)), now, providers);
const drawRatio = (kind: string, day: string) => drawRatioBy(kind, day, providers);
const noon = new Date('2026-03-11T00:00:00Z');

describe('consumption', () => {
  const linux = (day: string, minutes: number) => ({
    day,
    runnerKind: 'linux_2_core',
    minutes: BigInt(minutes),
  });

  test("follows the day's prices as multiples of 2-core Linux", () => {
    const usage = [
      linux('2026-03-01', 100),
      { day: '2026-03-02', runnerKind: 'windows_2_core', minutes: 30n },
      { day: '2026-03-02', runnerKind: 'macos_3_core', minutes: 3n },
    ];
    assert.equal(consume(usage, null, noon).usedHundredths, 18_100);
    assert.equal(drawRatio('windows_2_core', '2025-12-31'), 2);
    assert.equal(drawRatio('macos_3_core', '2025-12-31'), 10);
  });

  test('predicts when nothing is left', () => {
    // At 100 a day over ten days, 2,000 are used up after twenty.
    const usage = [linux('2026-03-01', 1_000)];
    assert.deepEqual(
      [consume(usage, 2_000, noon).exhaustedOn, consume(usage, 2_000, noon).isExhausted],
      ['2026-03-21', false],
    );
    assert.equal(consume(usage, 3_101, noon).exhaustedOn, null);
    assert.equal(consume(usage, 3_099, noon).exhaustedOn, '2026-03-31');
  });

  test('names the day on which the last minute was used', () => {
    const usage = [linux('2026-03-03', 50), linux('2026-03-02', 60)];
    const { exhaustedOn, isExhausted } = consume(usage, 110, noon);
    assert.deepEqual([exhaustedOn, isExhausted], ['2026-03-03', true]);
  });

  test('is zero without usage, even at the first instant of a month', () => {
    assert.equal(consume([], 2_000, noon).exhaustedOn, null);
    assert.equal(consume([], 2_000, new Date('2026-03-01T00:00:00Z')).exhaustedOn, null);
    assert.equal(
      consume([linux('2026-03-01', 5)], 2_000, new Date('2026-03-01T00:00:00Z')).exhaustedOn,
      null,
    );
  });
});

async function record(organization: TestOrganization, event: string, payload: Payload): Promise<void> {
  const read = readGitHubEvent(event, payload, testApp.clock.now());
  assert.ok(read.kind === 'report');
  await testApp.app.recorder.record(organization.orgId, [read.report]);
}

test('a month counts standard runners of private repositories at GitHub', async () => {
  const organization = await testApp.newOrganization();
  const created_at = '2026-03-10T10:00:00Z';
  const add = async (id: number, fields: object, run: object = {}): Promise<void> => {
    await record(organization, 'workflow_run', gitHubRun({ id, created_at, ...run }));
    await record(organization, 'workflow_job', gitHubJob({ id, run_id: id, created_at, ...run, ...fields }));
  };
  await add(1, { completed_at: '2026-03-10T11:40:05Z' });
  await add(2, { completed_at: '2026-03-10T10:10:05Z', labels: ['windows-latest'] });
  await add(3, { completed_at: '2026-03-10T11:40:05Z', labels: ['ubuntu-latest-16-cores'] });
  await add(4, { completed_at: '2026-03-10T11:40:05Z' }, { repository: 'octo-org/open', private: false });
  for (const [id, path] of [
    [5, 'dynamic/dependabot/dependabot-updates'],
    [6, 'dynamic/pages/pages-build-deployment'],
  ] as const) {
    await add(id, { completed_at: '2026-03-10T11:40:05Z' }, { path });
  }
  const unset = await organization.get('/api/v1/pricing/included-minutes');
  assert.deepEqual(
    [unset.body.data.included_minutes, unset.body.data.used_minutes, unset.body.data.remaining_minutes],
    [null, 116.67, null],
  );
  await organization.send('PUT', '/api/v1/pricing', { included_minutes: { minutes: 150 } });
  const { data } = (await organization.get('/api/v1/pricing/included-minutes')).body;
  assert.deepEqual(data.included_minutes, { github_plan: null, minutes: 150, ...inMinutes });
  assert.deepEqual(data.month, { start: '2026-03-01', end: '2026-03-31' });
  assert.deepEqual([data.used_minutes, data.remaining_minutes, data.is_estimate], [116.67, 33.33, true]);
  // 116.67 in 17.5 days makes 150 in 22.5 days.
  assert.equal(data.exhausted_on, '2026-03-23');
  const windows = data.runner_kinds.find((each: Json) => each.runner_kind === 'windows_2_core');
  assert.deepEqual([windows.minutes, windows.ratio, windows.used_minutes], [10, 1.667, 16.67]);
});

test('a price that changes within a month changes no included minutes, nor what they cover', async () => {
  const { organization, work } = await newBilledCompany(testApp);
  await work({ day: '2026-03-02', minutes: 60 });
  await work({ day: '2026-03-04', minutes: 60 });
  await organization.send('PUT', '/api/v1/pricing/terms', {
    terms: [{ included_minutes: { minutes: 100 } }],
  });
  const doubled = [
    { effectiveFrom: '2026-01-01', nanosPerMinute: 6_000_000n },
    { effectiveFrom: '2026-03-03', nanosPerMinute: 12_000_000n },
  ];
  const books = providers.books.map((book) => ({
    ...book,
    prices: { ...book.prices, linux_2_core: doubled },
  }));
  for (const each of [providers, { ...providers, books }]) {
    const { db, clock, log } = testApp.app;
    const ctx = { db, clock, log, providers: each, actor: { orgId: organization.orgId } as Actor };
    const { usedHundredths, exhaustedOn } = await getIncludedMinutes(ctx, 'github', () =>
      Promise.resolve([]),
    );
    assert.deepEqual([usedHundredths, exhaustedOn], [12_000, '2026-03-04']);
    // 40 of the last 60 minutes are covered, which cost $0.48.
    assert.equal((await getSummary({ ...ctx, plan: 'pro' })).netTotalCostNanos, 160_000_000n);
  }
});

test('the included minutes follow from the plan at GitHub, and can be removed', async () => {
  const organization = await testApp.newOrganization();
  const plans = { free: 2_000, pro: 3_000, team: 3_000, enterprise: 50_000 };
  for (const [github_plan, minutes] of Object.entries(plans)) {
    const set = await organization.send('PUT', '/api/v1/pricing', { included_minutes: { github_plan } });
    assert.deepEqual(set.body.data.included_minutes, { github_plan, minutes, ...inMinutes });
  }
  const none = await organization.send('PUT', '/api/v1/pricing', { included_minutes: null });
  assert.equal(none.body.data.included_minutes, null);
});

test('included dollars are used at list price, by larger runners too', async () => {
  const { organization, work } = await newBilledCompany(testApp);
  await work({ day: '2026-03-10', minutes: 100 });
  await work({ day: '2026-03-10', minutes: 100, label: 'ubuntu-latest-4-cores', group: 'Large' });
  await work({ day: '2026-03-10', minutes: 9, private: false });
  const set = async (included_minutes: object) => {
    const answer = await organization.send('PUT', '/api/v1/pricing', { included_minutes });
    assert.equal(answer.status, 200, answer.text);
    const { data } = (await organization.get('/api/v1/pricing/included-minutes')).body;
    return data;
  };
  const dollars = await set({ github_plan: 'team', unit: 'usd' });
  const { included_minutes } = dollars;
  const team = { github_plan: 'team', minutes: 3_000, unit: 'usd', usd: 18, draw: 'list_price_ratio' };
  assert.deepEqual([included_minutes, dollars.unit], [team, 'usd']);
  assert.deepEqual([dollars.used_usd, dollars.remaining_usd], [1.8, 16.2]);
  assert.deepEqual([dollars.used_minutes, dollars.remaining_minutes], [300, 2_700]);
  assert.deepEqual(await set(included_minutes), dollars);
  const own = await set({ unit: 'usd', usd: 1.5 });
  assert.deepEqual([own.is_exhausted, own.exhausted_on, own.remaining_usd], [true, '2026-03-10', 0]);
  const minutes = await set({ github_plan: 'team' });
  assert.deepEqual([minutes.used_minutes, minutes.used_usd, minutes.remaining_usd], [100, null, null]);
});

test('multipliers can be chosen in place of list prices', async () => {
  const { organization, work } = await newBilledCompany(testApp);
  for (const label of ['ubuntu-latest', 'ubuntu-24.04-arm', 'windows-latest', 'macos-latest'])
    await work({ day: '2026-03-10', minutes: 10, label });
  const included = { github_plan: 'free', draw: 'legacy_multipliers' };
  await organization.send('PUT', '/api/v1/pricing', { included_minutes: included });
  const { data } = (await organization.get('/api/v1/pricing/included-minutes')).body;
  assert.equal(data.used_minutes, 140);
  assert.deepEqual(
    data.runner_kinds.map(({ runner_kind, ratio }: Json) => [runner_kind, ratio]),
    [
      ['macos_3_core', 10],
      ['windows_2_core', 2],
      ['linux_2_core', 1],
      ['linux_2_core_arm', 1],
    ],
  );
});

describe('included minutes are refused', () => {
  const minutes = 'body.included_minutes.minutes';
  const plan = 'body.included_minutes.github_plan';
  const faults: [why: string, included: unknown, path: string, message: RegExp][] = [
    ['below 0', { minutes: -1 }, minutes, /^must be at least 0$/],
    ['beyond all that is', { minutes: 1e300 }, minutes, /^must be at most 1,000,000,000$/],
    ['in parts', { minutes: 0.5 }, minutes, /^must be integer$/],
    ['without a number', {}, minutes, /^is required without github_plan/],
    ['without a number or a plan', { github_plan: null }, minutes, /^is required without github_plan/],
    ['of a plan that is not known', { github_plan: 'gold' }, plan, /^must be one of: free, pro, team, /],
    [
      'beside a plan with others',
      { github_plan: 'free', minutes: 3 },
      minutes,
      /plan free, which includes 2000$/,
    ],
    ['as dollars in minutes', { minutes: 5, usd: 5 }, 'body.included_minutes.usd', /^needs unit usd$/],
    [
      'as dollars without an amount',
      { unit: 'usd' },
      'body.included_minutes.usd',
      /^is required with unit usd/,
    ],
    [
      'as other dollars than the plan has',
      { github_plan: 'team', unit: 'usd', usd: 20 },
      'body.included_minutes.usd',
      /plan team, which includes \$18$/,
    ],
    [
      'as dollars with multipliers',
      { github_plan: 'team', unit: 'usd', draw: 'legacy_multipliers' },
      'body.included_minutes.draw',
      /^must be list_price_ratio with unit usd$/,
    ],
    ['as a word', 'free', 'body.included_minutes', /^must be object or null$/],
    ['under another name', { minute: 3 }, 'body.included_minutes.minute', /did you mean minutes\?/],
  ];
  for (const [why, included_minutes, path, message] of faults) {
    test(why, async () => {
      const organization = await testApp.newOrganization();
      const answer = await organization.send('PUT', '/api/v1/pricing', { included_minutes });
      assert.equal(answer.status, 400);
      assert.deepEqual(
        answer.body.errors.map((each: Json) => each.path),
        [path],
      );
      assert.match(answer.body.errors[0].message, message);
    });
  }
});
