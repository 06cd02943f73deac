import type { CategoryName } from './queries.ts';

type Shown = { label: string; color: string; about: string };

/** How each category is called and told from the others. */
export const categoryShown: Record<CategoryName | 'useful', Shown> = {
  rounding: {
    label: 'Rounding',
    color: 'var(--mantine-color-orange-6)',
    about: 'Minutes billed and not used: each job is rounded up to a whole minute',
  },
  failed: {
    label: 'Failed',
    color: 'var(--mantine-color-red-7)',
    about: 'Time of jobs that failed, timed out or were cancelled, and were not run again',
  },
  superseded: {
    label: 'Superseded',
    color: 'var(--mantine-color-grape-6)',
    about: 'Time after a newer run of the same workflow, branch and event had begun',
  },
  rerun: {
    label: 'Re-run',
    color: 'var(--mantine-color-blue-6)',
    about: 'Time of jobs that a later attempt did again',
  },
  skipped_after_queueing: {
    label: 'Skipped after queueing',
    color: 'var(--mantine-color-gray-6)',
    about: 'Jobs that waited for a runner and never ran, which costs nothing',
  },
  useful: { label: 'Useful', color: 'var(--mantine-color-teal-7)', about: 'Everything else' },
};

export const categoryNames = [
  'rounding',
  'failed',
  'superseded',
  'rerun',
  'skipped_after_queueing',
] as const satisfies CategoryName[];
