import { actorKindWords } from '../../ledger/actors/actorPattern.ts';
import { costOfAmounts } from '../../ledger/runs/amounts.ts';
import { dollars, dollarsApartFrom, exactDollars } from '../../platform/lib/amountTexts.ts';
import { codeOf, harmless, tableOf } from '../../platform/lib/markdown.ts';
import { percentOf, type Nanos } from '../../platform/lib/money.ts';
import { productWords } from '../../platform/lib/products.ts';
import { countOf } from '../../platform/lib/text.ts';
import type { Estimate } from '../estimates/estimate.ts';
import { estimateMarkdown } from '../estimates/markdown.ts';
import { categories, sumOf, type Category } from '../waste/jobGroups.ts';
import type { PullRequestReport } from './report.ts';

/** The first line of the comment, which identifies it later. GitHub does not render it. */
const commentMarker = '<!-- runcost -->';

/** GitHub allows 65,536 characters. */
const maxCharacters = 60_000;

export function markdownOf(
  report: PullRequestReport,
  { url, estimate, note = null }: { url: string; estimate: Estimate | null; note?: string | null },
): string {
  const [before, end] = [[commentMarker, ...sectionsOf(report)], `[Open in Runcost](${url})`];
  const textOf = (...estimated: string[]) => [...before, ...estimated, end].join('\n\n').concat('\n');
  if (note !== null) return textOf('### Workflow changes', `No estimate: ${harmless(note)}`);
  if (!estimate?.jobs.some(({ status }) => status !== 'unchanged')) return textOf();
  const whole = textOf('### Workflow changes', estimateMarkdown(estimate).trim());
  return whole.length <= maxCharacters
    ? whole
    : textOf('The workflow changes are too many to estimate here.');
}

function sectionsOf(report: PullRequestReport): string[] {
  const { number, runs, cost, netCost, jobs, mostExpensive } = report;
  if (runs === 0) return [`### No CI runs of pull request ${number} recorded yet`];
  const details = [
    ['Runs', runsText(report)],
    ['Jobs', `${countOf(jobs, 'job')}, ${countOf(report.minutes, 'billed minute')}`],
    ['Net cost', `${dollars(netCost)} after free runners, included minutes and discounts`],
    ...actorsText(report),
    ['Waste', wasteText(report)],
    ...amountTexts(report),
  ];
  const expensive = mostExpensive.map(({ workflowName, name, cost: own, times }) => [
    `${codeOf(name ?? '')} in ${codeOf(workflowName)}`,
    times === 1 ? 'once' : `${times} times`,
    dollars(own),
  ]);
  if (isUnended(report)) return [`### No job of pull request ${number} has ended yet`];
  return [
    `### CI cost of this pull request so far: ${dollars(cost)}`,
    tableOf(['', ''], details),
    ...(expensive.length > 0 ? [tableOf(['Most expensive jobs', 'Ran', 'Cost'], expensive)] : []),
    ...unpricedText(report),
  ];
}

function amountTexts({ cost, amounts }: PullRequestReport): string[][] {
  if (amounts.length === 0) return [];
  const each = amounts.map(({ product, unit, quantity, costNanos }) => {
    const many = quantity === null ? [] : [`${quantity} ${harmless(unit ?? '')}`.trim()];
    return `${productWords[product]} ${[dollars(costNanos), ...many].join(', ')}`;
  });
  return [
    ['Beside jobs', each.join('; ')],
    ['In all', dollars(cost + costOfAmounts(amounts))],
  ];
}

/** Left out if people triggered all of it. */
function actorsText({ actorKinds }: PullRequestReport): [string, string][] {
  if (actorKinds.every(({ kind }) => kind === null || kind === 'person')) return [];
  const parts = actorKinds.map(
    ({ kind, cost }) => `${kind === null ? 'nobody reported' : actorKindWords[kind]} ${dollars(cost)}`,
  );
  return [['Triggered by', parts.join(', ')]];
}

/** $0.00 would look like a cost. */
function isUnended({ jobs, runsInProgress }: PullRequestReport): boolean {
  return jobs === 0 && runsInProgress > 0;
}

function runsText({ runs, runsInProgress, reruns }: PullRequestReport): string {
  return [
    String(runs),
    ...(reruns > 0 ? [`re-run ${reruns === 1 ? 'once' : `${reruns} times`}`] : []),
    ...(runsInProgress > 0 ? [`${runsInProgress} not finished`] : []),
  ].join(', ');
}

const wasteWords: Record<Category, string> = {
  rounding: 'rounding up to minutes',
  failed: 'failed or canceled jobs',
  superseded: 'runs that a newer one replaced',
  rerun: 'jobs that ran again',
  skipped_after_queueing: 'skipped jobs',
};

function wasteText({ waste }: PullRequestReport): string {
  const total = sumOf(waste, 'waste').costNanos;
  if (total === 0n) return 'none';
  const parts = categories
    .map((category) => ({ words: wasteWords[category], cost: waste[category].costNanos }))
    .filter(({ cost }) => cost > 0n)
    .toSorted((a, b) => Number(b.cost - a.cost))
    .map(({ words, cost }) => `${words} ${dollars(cost)}`);
  return `${dollars(total)} (${percentOf(total, sumOf(waste, 'all').costNanos)}%): ${parts.join(', ')}`;
}

function unpricedText({ unpricedJobs }: PullRequestReport): string[] {
  if (unpricedJobs === 0) return [];
  return [
    `${countOf(unpricedJobs, 'job')} without a price ${unpricedJobs === 1 ? 'counts' : 'count'} as $0.`,
  ];
}

export type Check = { conclusion: 'success' | 'failure' | 'neutral'; title: string; summary: string };

/** Without a limit or without runs the check is neutral, and a required neutral check still allows merging. */
export function checkOf(report: PullRequestReport, failAbove: Nanos | null, markdown: string): Check {
  const { runs, cost } = report;
  const summary = markdown.replace(commentMarker, '').trim();
  if (runs === 0) return { conclusion: 'neutral', title: 'No runs recorded yet', summary };
  if (isUnended(report)) return { conclusion: 'neutral', title: 'No job has ended yet', summary };
  if (failAbove === null) return { conclusion: 'neutral', title: `${dollars(cost)} so far`, summary };
  const limit = exactDollars(failAbove);
  const isOver = cost > failAbove;
  return isOver
    ? {
        conclusion: 'failure',
        title: `${dollarsApartFrom(cost, failAbove)} so far, above the limit of ${limit}`,
        summary,
      }
    : {
        conclusion: 'success',
        title: `${dollarsApartFrom(cost, failAbove)} so far, limit ${limit}`,
        summary,
      };
}
