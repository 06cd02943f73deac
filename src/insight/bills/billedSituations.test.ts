/** Compares our net cost with the bills of a small GitHub that is written here from its published rules. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { newBilledCompany } from '../../../test/harness/billedCompany.ts';
import { bill, importCsv, lineOf } from '../../../test/harness/bills.ts';
import { gitHubJob, gitHubRun } from '../../../test/payloads/gitHub.ts';
import { readGitHubEvent } from '../../intake/providers/github/readEvent.ts';

const testApp = await startTestApp();

type Sku = { sku: string; isLarge?: boolean; nanos: readonly [until2025: bigint, from2026: bigint] };
const skus: Record<string, Sku> = {
  'ubuntu-latest': { sku: 'actions_linux', nanos: [8_000_000n, 6_000_000n] },
  'windows-latest': { sku: 'actions_windows', nanos: [16_000_000n, 10_000_000n] },
  'macos-latest': { sku: 'actions_macos', nanos: [80_000_000n, 62_000_000n] },
  'ubuntu-latest-8-cores': { sku: 'linux_8_core', isLarge: true, nanos: [32_000_000n, 22_000_000n] },
};

type Job = {
  label: string;
  /** UTC */
  start: string;
  minutes: number;
  isPublic: boolean;
  path?: string;
};

/** `$12` in nano-dollars. */
const dollars = (amount: number) => BigInt(amount) * 1_000_000_000n;

type Situation = {
  now: string;
  terms: object[];
  jobs: Job[];
  /** What the account has included in the month of this day, as a sum at list prices, and the discount in tenths of a percent. */
  rules: (day: string) => { included: bigint; coversLarge?: boolean; discount?: bigint };
  /** By month, what explains that our net cost differs. Nothing else may, and without any, the amounts are equal. */
  netCauses?: Record<string, Record<string, number>>;
};

type Parts = Record<'public_repository' | 'free_use' | 'included_minutes' | 'other_discount', bigint>;
const noParts: Parts = { public_repository: 0n, free_use: 0n, included_minutes: 0n, other_discount: 0n };

const repositoryOf = ({ isPublic }: Job) => (isPublic ? 'open' : 'api');

function isFreeUse({ path = '', start }: Job): boolean {
  if (path.startsWith('dynamic/dependabot/') || path.startsWith('dynamic/pages/')) return true;
  return path.includes('copilot-pull-request-reviewer') && start < '2026-06-01';
}

/** Bills each job on the day it started, in the order of their starts. */
function gitHubBills(
  { jobs, rules }: Situation,
  month: string,
): { lines: string[]; net: bigint; parts: Parts } {
  const cells = new Map<string, { day: string; job: Job; quantity: number; gross: bigint; off: bigint }>();
  const parts = { ...noParts };
  let [used, net] = [0n, 0n];
  const ofMonth = jobs.filter(({ start }) => start.startsWith(month));
  for (const job of ofMonth.toSorted((a, b) => (a.start < b.start ? -1 : 1))) {
    const day = job.start.slice(0, 10);
    const { sku, isLarge = false, nanos } = skus[job.label]!;
    const gross = BigInt(job.minutes) * nanos[day < '2026-01-01' ? 0 : 1];
    const { included, coversLarge = false, discount = 0n } = rules(day);
    const isFree = !isLarge && (job.isPublic || isFreeUse(job));
    const left = included > used && !isFree && (!isLarge || coversLarge) ? included - used : 0n;
    const covered = gross < left ? gross : left;
    used += covered;
    const reduced = isFree ? 0n : ((gross - covered) * discount) / 1_000n;
    const off = isFree ? gross : covered + reduced;
    if (isFree) parts[job.isPublic ? 'public_repository' : 'free_use'] += gross;
    parts.included_minutes += covered;
    parts.other_discount += reduced;
    net += gross - off;
    const key = `${day} ${sku} ${repositoryOf(job)}`;
    const cell = cells.get(key) ?? { day, job, quantity: 0, gross: 0n, off: 0n };
    cells.set(key, {
      ...cell,
      quantity: cell.quantity + job.minutes,
      gross: cell.gross + gross,
      off: cell.off + off,
    });
  }
  const amount = (nanos: bigint) => (Number(nanos) / 1e9).toFixed(9);
  const lines = [...cells.values()].map(({ day, job, quantity, gross, off }) =>
    lineOf({
      date: day,
      sku: skus[job.label]!.sku,
      quantity,
      price: Number(gross) / 1e9 / quantity,
      repository: repositoryOf(job),
      gross: amount(gross),
      discount: amount(off),
      net: amount(gross - off),
    }),
  );
  return { lines, net, parts };
}

function reportsOf({ label, start, minutes, isPublic: isOpen, path }: Job, index: number) {
  const completed_at = new Date(Date.parse(start) + minutes * 60_000).toISOString();
  const shared = { repository: isOpen ? 'acme/open' : 'acme/api', private: !isOpen };
  const runner = skus[label]!.isLarge ? { runner_group_name: 'Large', runner_name: 'box' } : {};
  const times = { created_at: start, started_at: start, completed_at };
  const id = 7_200_000_000 + index;
  const run = gitHubRun({
    id,
    created_at: start,
    updated_at: completed_at,
    ...shared,
    ...(path && { path }),
  });
  const job = gitHubJob({ id, run_id: id, labels: [label], ...times, ...shared, ...runner });
  return [
    readGitHubEvent('workflow_run', run, testApp.clock.now()),
    readGitHubEvent('workflow_job', job, testApp.clock.now()),
  ].flatMap((event) => (event.kind === 'report' ? [event.report] : []));
}

const linux = (start: string, minutes: number, more: Partial<Job> = {}): Job => {
  return { label: 'ubuntu-latest', start: `${start}:00Z`, minutes, isPublic: false, ...more };
};
/** A job at 08:00 of each of these days. */
const daily = (month: string, [first, last]: [number, number], minutes: number, more: Partial<Job> = {}) =>
  Array.from({ length: last - first + 1 }, (_, index) =>
    linux(`${month}-${String(first + index).padStart(2, '0')}T08:00`, minutes, more),
  );
const large = { label: 'ubuntu-latest-8-cores' };
const [windows, macos] = [{ label: 'windows-latest' }, { label: 'macos-latest' }];
const isPublic = true;
const plan = (github_plan: string, more: object = {}) => ({ included_minutes: { github_plan, ...more } });

const march = '2026-03-28T12:00:00Z';

const situations: Record<string, Situation> = {
  'Free, in private repositories, with less used than included': {
    now: march,
    terms: [plan('free')],
    jobs: [...daily('2026-03', [2, 5], 300), ...daily('2026-03', [4, 5], 60, windows)],
    rules: () => ({ included: dollars(12) }),
  },
  'Free, in public repositories, beside a private one that uses up its minutes': {
    now: march,
    terms: [plan('free')],
    jobs: [
      ...daily('2026-03', [2, 9], 340, { isPublic }),
      ...daily('2026-03', [2, 3], 90, { isPublic, ...macos }),
      ...daily('2026-03', [2, 9], 350),
    ],
    rules: () => ({ included: dollars(12) }),
  },
  'Team, with larger runners that use no minutes and are billed in public repositories': {
    now: march,
    terms: [plan('team')],
    jobs: [
      ...daily('2026-03', [2, 6], 200, large),
      ...daily('2026-03', [3, 5], 100, { ...large, isPublic }),
      ...daily('2026-03', [2, 9], 300, { isPublic }),
      ...daily('2026-03', [2, 9], 120, windows),
      ...daily('2026-03', [2, 9], 310),
    ],
    rules: () => ({ included: dollars(18) }),
  },
  'Enterprise, with 50,000 minutes used up in the middle of a day': {
    now: march,
    terms: [plan('enterprise')],
    jobs: [...daily('2026-03', [2, 19], 350, macos), ...daily('2026-03', [14, 20], 355)],
    rules: () => ({ included: dollars(300) }),
  },
  'Free, upgraded to Team within the month': {
    now: march,
    terms: [plan('free'), { effective_from: '2026-03-10', ...plan('team') }],
    jobs: [...daily('2026-03', [2, 9], 300), ...daily('2026-03', [10, 16], 300)],
    rules: (day) => ({ included: dollars(day < '2026-03-10' ? 12 : 18) }),
  },
  'Free, over New Year, when prices change and a job runs past midnight': {
    now: '2026-01-20T12:00:00Z',
    terms: [plan('free')],
    jobs: [
      ...daily('2025-12', [1, 20], 345),
      ...daily('2025-12', [3, 5], 200, windows),
      linux('2025-12-31T23:50', 20),
      ...daily('2026-01', [1, 15], 350),
    ],
    rules: (day) => ({ included: dollars(day < '2026-01-01' ? 16 : 12) }),
    // The job uses included minutes of January with us, and of December with GitHub.
    netCauses: { '2025-12': { day_shift: -0.16 }, '2026-01': {} },
  },
  'Team, with a discount of 17.5%': {
    now: march,
    terms: [{ ...plan('team'), discount_percent: 17.5 }],
    jobs: [
      ...daily('2026-03', [2, 14], 333),
      ...daily('2026-03', [4, 6], 111, large),
      ...daily('2026-03', [4, 6], 222, { isPublic }),
    ],
    rules: () => ({ included: dollars(18), discount: 175n }),
  },
  'Team, with included dollars that larger runners use too': {
    now: march,
    terms: [plan('team', { unit: 'usd' })],
    jobs: [
      ...daily('2026-03', [2, 6], 150, large),
      ...daily('2026-03', [3, 4], 50, { ...large, isPublic }),
      ...daily('2026-03', [2, 8], 140),
      ...daily('2026-03', [2, 3], 300, { isPublic }),
    ],
    rules: () => ({ included: dollars(18), coversLarge: true }),
  },
  'Free, with code reviews by Copilot before and after June 2026, Dependabot and Pages': {
    now: '2026-06-28T12:00:00Z',
    terms: [plan('free')],
    jobs: ['2026-05', '2026-06'].flatMap((month) => [
      ...daily(month, [10, 16], 320),
      ...daily(month, [11, 14], 45, { path: 'dynamic/agents/copilot-pull-request-reviewer' }),
      ...daily(month, [11, 14], 25, { path: 'dynamic/dependabot/dependabot-updates' }),
      ...daily(month, [12, 13], 5, { path: 'dynamic/pages/pages-build-deployment' }),
    ]),
    rules: () => ({ included: dollars(12) }),
  },
};
for (const [name, situation] of Object.entries(situations)) {
  test(name, async () => {
    testApp.clock.set(situation.now);
    const { organization, ask } = await newBilledCompany(testApp);
    const send = async (path: string, body: object) => {
      const answer = await organization.send('PUT', `/api/v1/${path}`, body);
      assert.equal(answer.status, 200, answer.text);
    };
    await send('pricing', { book_id: 'github_by_date' });
    await send('pricing/terms', { terms: situation.terms });
    await testApp.app.recorder.record(organization.orgId, situation.jobs.flatMap(reportsOf));
    const months = [...new Set(situation.jobs.map(({ start }) => start.slice(0, 7)))];
    const bills = months.map((month) => gitHubBills(situation, month));
    const imported = await importCsv(testApp, organization, bill(...bills.flatMap(({ lines }) => lines)));
    assert.equal(imported.status, 201, imported.text);
    for (const [index, month] of months.entries()) {
      const { net, parts } = bills[index]!;
      const last = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0));
      const to = [last.toISOString().slice(0, 10), situation.now.slice(0, 10)].toSorted()[0]!;
      const { totals } = await ask({ by: 'day', from: `${month}-01`, to });
      assert.ok(Math.abs(totals.bill_net - Number(net) / 1e9) < 1e-6);
      assert.ok(Math.abs(totals.our_net - totals.bill_net) <= totals.bill_net / 100, JSON.stringify(totals));
      const allowed = situation.netCauses ? totals.bill_net / 100 : 1e-6;
      assert.ok(Math.abs(totals.net_unexplained) <= allowed, JSON.stringify(totals));
      for (const [cause, amount] of Object.entries(totals.net_explained as Record<string, number>))
        assert.ok(
          Math.abs(amount - (situation.netCauses?.[month]?.[cause] ?? 0)) < 1e-6,
          `${cause}: ${amount}`,
        );
      for (const [cause, nanos] of Object.entries(parts))
        assert.ok(Math.abs(totals.explained[cause] - Number(nanos) / 1e9) < 1e-6, `${month} ${cause}`);
    }
  });
}
