import type { CostChange } from './queries.ts';
import { addDays, datesTitle } from './ranges.ts';

type Periods = Pick<CostChange, 'period' | 'previous_period'>;

/** `previous 30 days`, and `in the previous 30 days`. */
export function beforeInWords({ period, previous_period: before }: Periods): { name: string; at: string } {
  const isOneDay = period.days === 1;
  if (period.days === before.days && addDays(before.end, 1) === period.start)
    return isOneDay
      ? { name: 'the day before', at: 'on the day before' }
      : { name: `previous ${period.days} days`, at: `in the previous ${period.days} days` };
  const name = datesTitle({ from: before.start, to: before.end });
  return { name, at: `${before.days === 1 ? 'on' : 'in'} ${name}` };
}

/** `CI` and `acme/api` of the name of a workflow as the API has it: `CI (acme/api)`. */
export function namesOf(name: string): { workflow: string; repository: string } {
  const [, workflow = name, repository = ''] = /^(.*) \(([^()]+)\)$/.exec(name) ?? [];
  return { workflow, repository };
}

type Cause = Pick<CostChange, 'cause' | 'group_by' | 'groups'>;

/** With workflows by the names of the page: `CI · mobile` for `CI (acme/mobile)`, where all are acme's. */
export function shortCause({ cause, group_by: by, groups }: Cause, { isOfOne = false } = {}): string {
  if (by[0] !== 'workflow') return cause;
  const names = groups.map(({ by: [workflow] }) => workflow?.name ?? '');
  const owners = new Set(names.map((name) => namesOf(name).repository.replace(/[^/]*$/, '')));
  return names.reduce((text, name) => {
    const { workflow, repository } = namesOf(name);
    if (repository === '') return text;
    const place = owners.size === 1 ? repository.replace(/^.*\//, '') : repository;
    const words = isOfOne ? workflow : `${workflow} · ${place}`;
    // A function, because `$` would have a meaning in a text.
    return text.replaceAll(name, () => words);
  }, cause);
}
