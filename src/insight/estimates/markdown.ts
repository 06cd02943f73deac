import { dollars, signedDollars } from '../../platform/lib/amountTexts.ts';
import { codeOf, harmless } from '../../platform/lib/markdown.ts';
import type { Amount, Estimate, EstimatedJob } from './estimate.ts';

const maxRows = 20;
const maxLines = 50;

/** For a comment on a pull request: a summary, the changed jobs, and collapsed details. */
export function estimateMarkdown(estimate: Estimate): string {
  const changed = estimate.jobs.filter(({ status }) => status !== 'unchanged');
  if (changed.length === 0) return 'No workflow changes.\n';
  const shown = changed.slice(0, maxRows);
  return [
    ...(estimate.note === null ? [] : [harmless(estimate.note), '']),
    `**${sentenceOf(estimate)}**`,
    '',
    '| Job | Runner | Before | After | Change |',
    '| --- | --- | ---: | ---: | ---: |',
    ...shown.map((job) => rowOf(job, isUnrecorded(estimate))),
    ...(changed.length > shown.length ? ['', `${changed.length - shown.length} more changed jobs.`] : []),
    '',
    ...folded('How this is estimated', [
      ...estimate.assumptions.map(harmless),
      ...changed.map(
        ({ workflow, job, basis }) => `${codeOf(`${workflow} / ${job}`)}: ${harmless(basis.text)}.`,
      ),
    ]),
    ...folded(
      'Could not be resolved',
      estimate.unresolved.map(({ path, job, reason }) =>
        [...[path, job].filter((each) => each !== null).map(codeOf), harmless(reason)].join(' – '),
      ),
    ),
  ].join('\n');
}

/** For example: CI costs about $12.40 more a month (likely $9.10 to $15.00 more), $52.00 instead of $39.60. */
function sentenceOf(estimate: Estimate): string {
  const { change, base, head, days } = estimate;
  if (isUnrecorded(estimate)) return unrecordedText(estimate);
  const period = days === 30 ? 'a month' : `in ${days} days`;
  const total = `${dollars(head.nanos)} instead of ${dollars(base.nanos)}`;
  if (change.nanos === 0n) return `CI costs about the same ${period}: ${dollars(head.nanos)}`;
  const word = change.nanos > 0n ? 'more' : 'less';
  const size = dollars(change.nanos < 0n ? -change.nanos : change.nanos);
  return `CI costs about ${size} ${word} ${period} (${rangeText(change)}): ${total}`;
}

function rangeText({ lowNanos, highNanos }: Amount): string {
  return `likely ${signedDollars(lowNanos)} to ${signedDollars(highNanos)}`;
}

function rowOf(job: EstimatedJob, isEmpty: boolean): string {
  const { workflow, job: name, status, runner, runnerBefore } = job;
  const runners = [runnerBefore, runner].filter((each) => each !== null).map(codeOf);
  const title = `${codeOf(`${workflow} / ${name}`)}${status === 'changed' ? '' : ` (${status})`}`;
  const amounts = isEmpty
    ? ['–', '–', 'not known']
    : [amountText(job, 'base'), amountText(job, 'head'), changeText(job)];
  return `| ${[title, runners.join(' → '), ...amounts].join(' | ')} |`;
}

/** Without recorded jobs, $0.00 would look like a known amount. */
function isUnrecorded({ recordedJobs, base, head }: Estimate): boolean {
  return recordedJobs === 0 && base.nanos === 0n && head.nanos === 0n;
}

function unrecordedText({ period: { start, end } }: Estimate): string {
  return `What CI costs is not known: no job of the repository is recorded from ${start} to ${end}`;
}

function amountText(job: EstimatedJob, side: 'base' | 'head'): string {
  const amount = job[side];
  if (amount) return dollars(amount.nanos);
  if (job.status === (side === 'base' ? 'added' : 'removed')) return '–';
  return job.isUnpriced ? 'no price' : 'unknown';
}

function changeText({ change, isUnpriced }: EstimatedJob): string {
  if (change) return signedDollars(change.nanos);
  return isUnpriced ? 'no price' : 'unknown';
}

function folded(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const left = lines.length - maxLines;
  return [
    `<details><summary>${title}</summary>`,
    '',
    ...lines.slice(0, maxLines).map((line) => `- ${line}`),
    ...(left > 0 ? [`- and ${left} more`] : []),
    '',
    '</details>',
    '',
  ];
}
