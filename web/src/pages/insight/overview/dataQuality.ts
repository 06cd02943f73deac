import { count, countOf, shortDay } from '../../../ui/figures.ts';
import type { Flag, DataQuality } from './queries.ts';

type Issue = { what: string; advice: string; link: { href: string; label: string } };

const runsOf = (flag: Flag) => ({ href: `/?flag=${flag}`, label: 'Review' });

const daysNamed = 5;
const runnersNamed = 3;

export function issuesOf({
  unpriced,
  quiet_days,
  incomplete_runs,
  flagged_jobs,
  runs_examined,
}: DataQuality): Issue[] {
  const { guessed_runner, missing_labels, negative_duration, over_time_limit } = flagged_jobs;
  const examined = `Found in the latest ${countOf(runs_examined, 'run')}.`;
  const { jobs, minutes, runners } = unpriced;
  return [
    ...issue(jobs, `${countOf(jobs, 'job')} (${count(minutes)} min) without a price`, {
      link: { href: '/settings/pricing', label: 'Set a price' },
      advice: `They count as $0. Runners: ${labelsOf(runners)}.`,
    }),
    ...issue(quiet_days.length, `${countOf(quiet_days.length, 'quiet day')}: ${named(quiet_days)}`, {
      link: { href: '/history', label: 'Backfill' },
      advice:
        'No runs arrived, though these weekdays usually have some. Check whether webhook deliveries failed.',
    }),
    ...issue(incomplete_runs, `${countOf(incomplete_runs, 'run')} never completed`, {
      link: runsOf('incomplete'),
      advice: 'Created before yesterday. Only completed jobs have a cost.',
    }),
    ...issue(missing_labels, `${countOf(missing_labels, 'job')} without labels`, {
      link: runsOf('missing_labels'),
      advice: `${examined} They have no price and count as $0. Report them with their labels.`,
    }),
    ...issue(over_time_limit, `${countOf(over_time_limit, 'job')} longer than the provider’s time limit`, {
      link: runsOf('over_time_limit'),
      advice:
        'On the provider’s own runners they are billed up to the limit plus 10 minutes. A few seconds over it are normal. Far over it, the reported times are wrong.',
    }),
    ...issue(negative_duration, `${countOf(negative_duration, 'job')} with an end before the start`, {
      link: runsOf('negative_duration'),
      advice: `${examined} They count as 0 seconds.`,
    }),
    ...issue(guessed_runner, `${countOf(guessed_runner, 'job')}: runner size inferred from its label`, {
      link: runsOf('guessed_runner'),
      advice: `${examined} If a label is misleading, the cost is wrong.`,
    }),
  ];
}

function labelsOf(runners: DataQuality['unpriced']['runners']): string {
  const texts = runners.map(({ labels, runner_group: group }) =>
    [labels.join(', ') || 'no labels', ...(group ? [`(group ${group})`] : [])].join(' '),
  );
  const shown = texts.slice(0, runnersNamed).join('; ');
  return texts.length > runnersNamed ? `${shown} and ${texts.length - runnersNamed} more` : shown;
}

function issue(many: number, what: string, more: Omit<Issue, 'what'>): Issue[] {
  return many > 0 ? [{ what, ...more }] : [];
}

function named(days: readonly string[]): string {
  const shown = days.slice(-daysNamed).map(shortDay).join(', ');
  return days.length > daysNamed ? `${shown} and ${days.length - daysNamed} earlier` : shown;
}
