import type { CostChange } from './queries.ts';
import { addDays, datesTitle } from './ranges.ts';

type Periods = Pick<CostChange, 'period' | 'previous_period'>;

/** Name of the previous period for headings and within a sentence: `previous 30 days` and `in the previous 30 days`. */
export function beforeInWords({ period, previous_period: before }: Periods): { name: string; at: string } {
  const isOneDay = period.days === 1;
  if (period.days === before.days && addDays(before.end, 1) === period.start)
    return isOneDay
      ? { name: 'the day before', at: 'on the day before' }
      : { name: `previous ${period.days} days`, at: `in the previous ${period.days} days` };
  const name = datesTitle({ from: before.start, to: before.end });
  return { name, at: `${before.days === 1 ? 'on' : 'in'} ${name}` };
}

/** The days compared with, such as `Oct 1 – Oct 29`, with a year only if it is another. */
export function beforeTitle({ end }: Periods['period'], before: Periods['period']): string {
  return datesTitle({ from: before.start, to: before.end }).replace(`, ${end.slice(0, 4)}`, '');
}

/** Splits a workflow's name in the API, such as `CI (acme/api)`, into `CI` and `acme/api`. */
export function namesOf(name: string): { workflow: string; repository: string } {
  const [, workflow = name, repository = ''] = /^(.*) \(([^()]+)\)$/.exec(name) ?? [];
  return { workflow, repository };
}

type Cause = Pick<CostChange, 'cause_parts' | 'groups'>;

/** Why the cost changed, with workflows as pages name them: `CI · mobile` if all repositories belong to one owner. */
export function causeInWords({ cause_parts: parts, groups }: Cause, { isOfOne = false } = {}): string {
  const listed = groups.flatMap(({ by }) => by.filter(({ dimension }) => dimension === 'workflow'));
  const owners = new Set(listed.map(({ name }) => namesOf(name).repository.replace(/[^/]*$/, '')));
  return parts
    .map(({ text, dimension }) => {
      const { workflow, repository } = namesOf(text);
      if (dimension !== 'workflow' || repository === '') return text;
      const place = owners.size === 1 ? repository.replace(/^.*\//, '') : repository;
      return isOfOne ? workflow : `${workflow} · ${place}`;
    })
    .join('');
}
