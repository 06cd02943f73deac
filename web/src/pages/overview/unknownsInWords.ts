import { countOf, shortDay } from '../../shown/figures.ts';
import type { Flag, Unknowns } from './queries.ts';

/** A doubt about the sums, and what can be done about it. `flag`: what the runs that it is about are found by. */
export type Doubt = { what: string; advice: string; flag?: Flag };

const daysNamed = 5;

/** What may be missing in the sums or wrong in them, apart from minutes without a price; weightiest first. */
export function doubtsOf({ quiet_days, incomplete_runs, flagged_jobs, runs_examined }: Unknowns): Doubt[] {
  const { guessed_runner, negative_duration, over_time_limit } = flagged_jobs;
  const among = `among the latest ${countOf(runs_examined, 'run')}`;
  return [
    ...doubt(quiet_days.length, `${countOf(quiet_days.length, 'quiet day')}: ${named(quiet_days)}`, {
      advice:
        'No run arrived on weekdays that usually have some. See whether the webhook’s deliveries failed on those days.',
    }),
    ...doubt(incomplete_runs, `${countOf(incomplete_runs, 'run')} never reported as completed`, {
      advice: 'They were created before yesterday. Their cost is what their completed jobs cost.',
    }),
    ...doubt(
      over_time_limit,
      `${countOf(over_time_limit, 'job')} longer than GitHub lets jobs run, ${among}`,
      {
        flag: 'over_time_limit',
        advice: 'Some seconds over the limit are usual; far beyond it, the reported times are mistaken.',
      },
    ),
    ...doubt(negative_duration, `${countOf(negative_duration, 'job')} ending before the start, ${among}`, {
      flag: 'negative_duration',
      advice: 'They count as 0 seconds.',
    }),
    ...doubt(guessed_runner, `${countOf(guessed_runner, 'job')} on a guessed runner, ${among}`, {
      flag: 'guessed_runner',
      advice: 'The kind was read out of a name of your own. The receipt of such a job tells from which.',
    }),
  ];
}

function doubt(many: number, what: string, more: Omit<Doubt, 'what'>): Doubt[] {
  return many > 0 ? [{ what, ...more }] : [];
}

function named(days: readonly string[]): string {
  const shown = days.slice(-daysNamed).map(shortDay).join(', ');
  return days.length > daysNamed ? `${shown} and ${days.length - daysNamed} before` : shown;
}
