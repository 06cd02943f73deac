import { countOf, shortDay } from '../../../ui/figures.ts';
import type { Flag, Unknowns } from './queries.ts';

/** A doubt about the sums, what can be done about it, and where that is seen. */
export type Doubt = { what: string; advice: string; link: { href: string; label: string } };

const runsOf = (flag: Flag) => ({ href: `/?flag=${flag}`, label: 'Show the runs' });

const daysNamed = 5;

/** What may be missing in the sums or wrong in them, apart from minutes without a price; weightiest first. */
export function doubtsOf({ quiet_days, incomplete_runs, flagged_jobs, runs_examined }: Unknowns): Doubt[] {
  const { guessed_runner, missing_labels, negative_duration, over_time_limit } = flagged_jobs;
  const among = `among the latest ${countOf(runs_examined, 'run')}`;
  return [
    ...doubt(quiet_days.length, `${countOf(quiet_days.length, 'quiet day')}: ${named(quiet_days)}`, {
      link: { href: '/backfills', label: 'Read these days again' },
      advice:
        'No run arrived on weekdays that usually have some. See whether the webhook’s deliveries failed on those days.',
    }),
    ...doubt(incomplete_runs, `${countOf(incomplete_runs, 'run')} never reported as completed`, {
      link: runsOf('incomplete'),
      advice: 'They were created before yesterday. Their cost is what their completed jobs cost.',
    }),
    ...doubt(missing_labels, `${countOf(missing_labels, 'job')} without runner labels, ${among}`, {
      link: runsOf('missing_labels'),
      advice: 'No price applies, so they count as $0. Report such jobs with their labels.',
    }),
    ...doubt(
      over_time_limit,
      `${countOf(over_time_limit, 'job')} longer than the CI system lets jobs run, ${among}`,
      {
        link: runsOf('over_time_limit'),
        advice: 'Some seconds over the limit are usual; far beyond it, the reported times are mistaken.',
      },
    ),
    ...doubt(negative_duration, `${countOf(negative_duration, 'job')} ending before the start, ${among}`, {
      link: runsOf('negative_duration'),
      advice: 'They count as 0 seconds.',
    }),
    ...doubt(guessed_runner, `${countOf(guessed_runner, 'job')} on a guessed runner, ${among}`, {
      link: runsOf('guessed_runner'),
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
