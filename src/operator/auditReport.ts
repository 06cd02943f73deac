import { dollars, formatCount, printTable, printWrapped } from '../cli/output.ts';
import type { Fix } from '../insight/waste/fixes.ts';
import { listFixes } from '../insight/waste/fixesView.ts';
import { sumOf } from '../insight/waste/jobGroups.ts';
import type { NewestRuns } from '../intake/backfills/readNewest.ts';
import { type DashboardContext, getTopWorkflows, getTrends } from '../ledger/costs/overview.ts';
import { leftOutText } from '../ledger/costs/unusualDays.ts';
import { findCoverable } from '../ledger/pricing/netCost.ts';
import { type GitHubPlan, includedByPlan } from '../ledger/pricing/terms.ts';
import { whatIf } from '../ledger/repricing/whatIf.ts';
import { listUnpriced } from '../ledger/runs/reading.ts';
import { unpricedView } from '../ledger/runs/views.ts';
import { dayOf, daysOf, startOfDay, type Window, windowBetween } from '../platform/lib/days.ts';
import { sumOf as total } from '../platform/lib/lists.ts';
import { type Nanos, percentOf, usd } from '../platform/lib/money.ts';
import { countOf } from '../platform/lib/text.ts';

export type Audited = {
  /** As entered: owner/name, or an owner. */
  target: string;
  repositories: readonly string[];
  since: Date;
  until: Date;
  runs: NewestRuns;
  plan: GitHubPlan | null;
};

type Report = Audited & Awaited<ReturnType<typeof readFigures>>;

const maxWorkflows = 5;
const maxFixes = 5;
const maxRunners = 20;

export async function readAudit(ctx: DashboardContext, audited: Audited): Promise<Report> {
  return { ...audited, ...(await readFigures(ctx, audited)) };
}

async function readFigures(ctx: DashboardContext, { since, until }: Audited) {
  const period = windowBetween(dayOf(since), dayOf(until));
  const { days } = period;
  const trends = await getTrends(ctx, days);
  const { waste, fixes } = await listFixes(ctx, { days, repo: undefined, workflowId: undefined });
  const before = await whatIf(ctx, { days, book_id: 'github_2025' });
  const after = await whatIf(ctx, { days, book_id: 'github_2026', scenario: 'self_hosted_fee' });
  return {
    period,
    listNanos: total(trends.data, 'costNanos'),
    netNanos: total(trends.data, 'netCostNanos'),
    coverable: await findCoverable(ctx, period, 'github'),
    workflows: await getTopWorkflows(ctx, { days, limit: maxWorkflows }),
    wasteNanos: sumOf(waste.split, 'waste').costNanos,
    fixes,
    prices: {
      until2025Nanos: before.total.thenNanos,
      from2026Nanos: after.total.thenNanos - after.total.scenarioNanos,
      feeNanos: after.total.scenarioNanos,
    },
    unpriced: await listUnpriced(ctx, { days, page: 1, perPage: maxRunners }),
  };
}

const dayMilliseconds = 86_400_000;
const monthMilliseconds = BigInt(30 * dayMilliseconds);
/** A shorter time is too little for a month's cost. */
const minMilliseconds = 3_600_000;

/**
 * Scales the cost of the read runs to 30 days, counted from the oldest run or from the start of the first
 * day.
 */
function perMonth(nanos: Nanos, { runs: { readSince }, until, period }: Report, leftOutDays = 0): Nanos {
  const since = readSince ?? startOfDay(period.start);
  const counted = until.getTime() - since.getTime() - leftOutDays * dayMilliseconds;
  const covered = Math.max(minMilliseconds, counted);
  return (nanos * monthMilliseconds) / BigInt(covered);
}

/** Of the fix, or of a suggestion by its part of the fix. */
function savingPerMonth(fix: Fix, report: Report, partNanos = fix.savingNanos): Nanos {
  const { savingNanos, usualNanos, leftOutDays } = fix;
  const usualPart = savingNanos === 0n ? 0n : (usualNanos * partNanos) / savingNanos;
  return perMonth(usualPart, report, leftOutDays.length);
}

function savingsPerMonth(report: Report): Nanos {
  return report.fixes.reduce((sum, fix) => sum + savingPerMonth(fix, report), 0n);
}

/** Included minutes are per month, so they are subtracted from a whole month. */
function netPerMonth(report: Report): Nanos {
  const { netNanos, coverable, plan } = report;
  const included = BigInt(plan ? includedByPlan[plan] : 0) * coverable.nanosPerMinute;
  const covered = perMonth(coverable.nanos, report);
  return perMonth(netNanos, report) - (covered < included ? covered : included);
}

export function auditView(report: Report) {
  const { target, repositories, period, runs, plan, unpriced, fixes, prices } = report;
  const money = (nanos: Nanos) => ({ period: usd(nanos), month: usd(perMonth(nanos, report)) });
  return {
    target,
    repositories,
    period: { start: period.start, end: period.end, days: period.days },
    runs: {
      read: runs.read,
      total: runs.total,
      read_since: runs.readSince,
      stopped_by: runs.stoppedBy?.reason ?? null,
      problems: runs.problems,
    },
    github_plan: plan,
    list_cost: money(report.listNanos),
    net_cost: { period: usd(report.netNanos), month: usd(netPerMonth(report)) },
    workflows: report.workflows.map(({ workflowName, repository, costNanos, netCostNanos, runs: count }) => ({
      name: workflowName,
      repository,
      runs: Number(count),
      list_cost: usd(costNanos),
      net_cost: usd(netCostNanos),
    })),
    waste: {
      cost: money(report.wasteNanos),
      saving: { period: usd(total(fixes, 'savingNanos')), month: usd(savingsPerMonth(report)) },
      fixes: fixes.flatMap((fix) =>
        fix.suggestions.map(({ action, text, yaml, savingNanos }) => ({
          repository: fix.workflow.repository,
          workflow: fix.workflow.name,
          category: fix.category,
          action,
          text,
          yaml,
          saving: { period: usd(savingNanos), month: usd(savingPerMonth(fix, report, savingNanos)) },
          left_out_days: [...fix.leftOutDays],
        })),
      ),
    },
    prices: {
      github_2025: money(prices.until2025Nanos),
      github_2026: money(prices.from2026Nanos),
      postponed_self_hosted_fee: money(prices.feeNanos),
    },
    unpriced: {
      jobs: unpriced.jobs,
      minutes: unpriced.minutes,
      runners: unpriced.runners.map(unpricedView),
    },
  };
}

export function printAudit(report: Report): void {
  const { runs, unpriced } = report;
  printRead(report);
  if (runs.read === 0) return;
  printCost(report);
  printWorkflows(report);
  printWaste(report);
  printPrices(report);
  if (unpriced.jobs > 0) printUnpriced(report);
}

function printRead({ target, repositories, period, runs, until }: Report): void {
  const of =
    repositories.length === 1 ? '' : `, ${countOf(repositories.length, 'repository').replace(/ys$/, 'ies')}`;
  console.log(`${target}${of}, ${longDay(period.start)} to ${longDay(period.end)} (UTC)`);
  const { read, total: counted, readSince, stoppedBy } = runs;
  if (counted === 0) printWrapped(`No workflow runs in ${periodInWords(period)}.`, 0);
  else if (!stoppedBy) printWrapped(`Read all ${countOf(counted, 'run')}.`, 0);
  else {
    const since = readSince ? `, back to ${instant(readSince, until)}` : '';
    printWrapped(`Read ${formatCount(read)} of ${countOf(counted, 'run')}, newest first${since}.`, 0);
    printWrapped(stopText(stoppedBy), 0);
    if (readSince) printWrapped('The monthly figures assume that the rest of a month is like this.', 0);
  }
  for (const problem of runs.problems) printWrapped(problem, 0);
}

function stopText({ reason, message }: NonNullable<NewestRuns['stoppedBy']>): string {
  if (reason === 'time') return 'The time is over. To read more: --max-minutes, or fewer --days.';
  if (reason === 'rate_limit') return `${message} A token has 5,000 an hour; without one it is 60.`;
  return message ?? 'GitHub could not be reached.';
}

function printCost(report: Report): void {
  const { listNanos, netNanos, period, runs, plan } = report;
  const row = (name: string, nanos: Nanos, month: Nanos) => [name, dollars(nanos), dollars(month)];
  heading('Cost');
  const column = runs.readSince ? 'OF THESE RUNS' : periodInWords(period).toUpperCase();
  printTable(
    ['', column, 'PER MONTH'],
    [row('List', listNanos, perMonth(listNanos, report)), row('Net', netNanos, netPerMonth(report))],
  );
  const free = 'Net takes off standard runners in public repositories, which are free';
  const minutes = plan
    ? `. Of a month, it also takes off the ${formatCount(includedByPlan[plan])} included minutes on GitHub ${titleOf(plan)}.`
    : ". It doesn't take off your plan's included minutes: --plan free, pro, team or enterprise does.";
  printWrapped(`${free}${minutes}`, 0);
}

function printWorkflows({ workflows, listNanos }: Report): void {
  heading(workflows.length < maxWorkflows ? 'Workflows' : `The ${maxWorkflows} most expensive workflows`);
  printTable(
    ['WORKFLOW', 'REPOSITORY', 'LIST', 'NET', 'SHARE', 'RUNS'],
    workflows.map(({ workflowName, repository, costNanos, netCostNanos, runs }) => [
      workflowName,
      repository,
      dollars(costNanos),
      dollars(netCostNanos),
      `${percentOf(costNanos, listNanos).toFixed(1)}%`,
      formatCount(Number(runs)),
    ]),
  );
}

function printWaste(report: Report): void {
  const { wasteNanos, listNanos, fixes } = report;
  heading('Waste');
  const share = `${percentOf(wasteNanos, listNanos).toFixed(1)}%`;
  console.log(`${dollars(wasteNanos)} of the list cost, ${share}, bought nothing useful.`);
  const saving = savingsPerMonth(report);
  if (fixes.length === 0) return console.log('Nothing to change.');
  console.log(`These changes save up to ${dollars(saving)} a month at list prices:`);
  const worth = fixes.filter(({ savingNanos }) => savingNanos > 0n);
  for (const [index, fix] of worth.slice(0, maxFixes).entries()) printFix(index + 1, fix, report);
  if (worth.length > maxFixes) console.log(`\nAnd ${worth.length - maxFixes} smaller ones: --json has all.`);
}

function printFix(place: number, fix: Fix, report: Report): void {
  const { workflow, suggestions, leftOutDays } = fix;
  console.log();
  const amount = `${dollars(savingPerMonth(fix, report))} a month`;
  printWrapped(`${place}. ${amount}: ${workflow.repository}, ${workflow.name}`, 0);
  for (const { text, yaml, jobs, action } of suggestions) {
    printWrapped(text, 3);
    if (yaml === null) continue;
    const where = action === 'limit_time' ? `the job ${jobs.join(', ')}` : 'the workflow, at the top level';
    printWrapped(`Add to ${where}:`, 3);
    console.log(yaml.replaceAll(/^/gm, '     '));
  }
  const leftOut = leftOutText(leftOutDays);
  if (leftOut) printWrapped(leftOut, 3);
}

function printPrices(report: Report): void {
  const { until2025Nanos: before, from2026Nanos: after, feeNanos } = report.prices;
  heading("These jobs at GitHub's prices");
  const change = before === 0n ? '' : `${percentOf(after - before, before).toFixed(1)}%`.replace('-', '−');
  const row = (name: string, nanos: Nanos) => [name, dollars(nanos), dollars(perMonth(nanos, report))];
  printTable(
    ['', 'LIST', 'PER MONTH', 'CHANGE'],
    [
      [...row('Until 2025', before), ''],
      [...row('From 2026', after), after > before ? `+${change}` : change],
      ...(feeNanos > 0n ? [[...row('Fee for self-hosted runners, postponed', feeNanos), '']] : []),
    ],
  );
}

function printUnpriced({ unpriced: { runners, jobs, minutes, total: kinds } }: Report): void {
  heading('Unpriced');
  const what = `${countOf(jobs, 'job')} with ${countOf(minutes, 'minute')}`;
  printWrapped(`No price list has these labels. ${what} count as $0 above.`, 0);
  printTable(
    ['LABELS', 'JOBS', 'MINUTES'],
    runners.map(({ labels, runnerGroup, jobs: count, minutes: used }) => [
      [...labels, ...(runnerGroup === null ? [] : [`group ${runnerGroup}`])].join(', ') || 'no labels',
      formatCount(Number(count)),
      formatCount(Number(used)),
    ]),
  );
  if (kinds > runners.length) console.log(`And ${formatCount(kinds - runners.length)} more.`);
  const newer = runners.filter(({ hasNewLabel }) => hasNewLabel).map(({ labels }) => labels.join(', '));
  if (newer.length > 0)
    printWrapped(`Newer than this version of Runcost: ${newer.join('; ')}. Update it.`, 0);
}

function heading(text: string): void {
  console.log(`\n${text}`);
}

function periodInWords(period: Window): string {
  const { length } = daysOf(period);
  return length === 1 ? '1 day' : `${length} days`;
}

function longDay(day: string): string {
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day));
}

function instant(at: Date, now: Date): string {
  const isThisYear = at.getUTCFullYear() === now.getUTCFullYear();
  const year = isThisYear ? {} : ({ year: 'numeric' } as const);
  const options = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', ...year } as const;
  return `${new Intl.DateTimeFormat('en-US', { ...options, hourCycle: 'h23', timeZone: 'UTC' }).format(at)} UTC`;
}

function titleOf(plan: GitHubPlan): string {
  return `${plan[0]!.toUpperCase()}${plan.slice(1)}`;
}
