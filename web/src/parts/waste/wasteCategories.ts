import { colorOf } from '../../analysis/colors.ts';
import type { CategoryName, Fix, FixKind, Fixes } from './waste.ts';

/** `slot` is a color slot of the series colors, which everyone can distinguish in both schemes. */
type Shown = { label: string; slot: number | null; about: string };

export const categoryShown: Record<CategoryName, Shown> = {
  failed: {
    label: 'Failed',
    slot: 3,
    about: 'Failed, timed out or canceled, and not re-run',
  },
  rounding: {
    label: 'Rounding',
    slot: 5,
    about: 'The unused part of a job’s last billed minute',
  },
  superseded: {
    label: 'Superseded',
    slot: 1,
    about: 'Went on after a newer run of the branch started',
  },
  rerun: { label: 'Re-run', slot: 2, about: 'Repeated by a later attempt' },
  skipped_after_queueing: {
    label: 'Never ran',
    slot: null,
    about: 'Waited for a runner, at no cost',
  },
};

/** Runs that nobody needs are no waste of the figures, so they have no color there. */
export const fixShown: Record<FixKind, Pick<Shown, 'label' | 'slot'>> = {
  ...categoryShown,
  idle_schedule: { label: 'Idle schedules', slot: null },
  always_canceled: { label: 'Canceled runs', slot: null },
  duplicate_workflow: { label: 'Duplicates', slot: null },
  documentation_only: { label: 'Docs only', slot: null },
};

/** Null if the fix is about runs that nobody needs. */
export function wasteCategory(kind: FixKind | null): CategoryName | null {
  return categoryNames.find((name) => name === kind) ?? null;
}

export const categoryColor = (name: FixKind): string => colorOf(fixShown[name].slot);

export const paidCategories = ['rounding', 'failed', 'superseded', 'rerun'] as const;

const categoryNames = [...paidCategories, 'skipped_after_queueing'] as const satisfies CategoryName[];

export const fixKinds = [
  ...categoryNames,
  'idle_schedule',
  'always_canceled',
  'duplicate_workflow',
  'documentation_only',
] as const satisfies FixKind[];

/** Most expensive first, then the category that costs nothing. In the chart, the first is at the bottom. */
export function orderOf({ categories }: Pick<Fixes, 'categories'>): CategoryName[] {
  const costs = new Map(categories.map(({ category, cost }) => [category, cost]));
  const paid = paidCategories.toSorted((a, b) => (costs.get(b) ?? 0) - (costs.get(a) ?? 0));
  return [...paid, 'skipped_after_queueing'];
}

type Action = Fix['suggestions'][number]['action'];

const actionTitles: Record<Action, string> = {
  merge_short_jobs: 'Merge short jobs',
  cancel_superseded_runs: 'Cancel superseded runs',
  limit_time: 'Limit the time of a job',
  fix_failing_jobs: 'Fix jobs that often fail',
  fix_flaky_jobs: 'Fix flaky jobs',
  rerun_failed_jobs_only: 'Re-run failed jobs only',
  shorten_queue: 'Shorten the queue',
  run_less_often: 'Run the schedule less often',
  remove_trigger: 'Stop starting canceled runs',
  remove_duplicate: 'Remove one of two equal workflows',
  skip_documentation: 'Skip changes of documentation only',
};

/** What to do, or what should have been done. */
export function titleOf({ category, suggestions: [first, ...others] }: Fix): string {
  if (!first) return `${fixShown[category].label}${wasteCategory(category) ? ' jobs' : ''}`;
  return others.length === 0
    ? actionTitles[first.action]
    : `${actionTitles[first.action]}, and ${others.length} more`;
}
