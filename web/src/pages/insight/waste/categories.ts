import type { CategoryName } from './queries.ts';

type Shown = { label: string; color: string; about: string };

export const categoryShown: Record<CategoryName | 'useful', Shown> = {
  rounding: {
    label: 'Rounding',
    color: 'var(--mantine-color-orange-6)',
    about: 'Minutes billed but not used: each job is rounded up to a full minute',
  },
  failed: {
    label: 'Failed',
    color: 'var(--mantine-color-red-7)',
    about: 'Jobs that failed, timed out or were canceled, and were not re-run',
  },
  superseded: {
    label: 'Superseded',
    color: 'var(--mantine-color-grape-6)',
    about: 'Time after a newer run of the same workflow, branch and event started',
  },
  rerun: {
    label: 'Re-run',
    color: 'var(--mantine-color-blue-6)',
    about: 'Jobs that a later attempt repeated',
  },
  skipped_after_queueing: {
    label: 'Skipped after queueing',
    color: 'var(--mantine-color-gray-6)',
    about: 'Jobs that waited for a runner but never ran, at no cost',
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
