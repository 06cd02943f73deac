import type { CostQuestion } from '../../ledger/costs/costQuestion.ts';
import { compileCheck, invalidRequest, type Check } from '../../platform/http/validate.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { InvalidFields, within } from '../../platform/lib/errors.ts';
import type { Clock } from '../../platform/lib/time.ts';
import {
  ofJobsOnly,
  readChangeQuestion,
  readGroupBy,
  readQuestion,
  type CostsParameters,
  type DimensionName,
} from './readQuestion.ts';
import { CostsQuery } from './schema.ts';

type Caller = { clock: Clock; plan: Plan };
type SharedParameters = CostsParameters & Record<string, string | number | string[] | undefined>;

let check: Check | undefined;

/** The complete question of a share link, which is the field `query` of what creates it. */
export function readShared(query: string, caller: Caller): string {
  const parameters = within('query', () => {
    const read = parametersOf(query);
    readQuestion(read, caller);
    return read;
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of [value].flat()) if (each !== undefined) search.append(name, String(each));
  }
  return search.toString();
}

/** The number of groups that a chart draws. It sums up all others. */
const drawnGroups = 7;
const maxDaysByDay = 92;

/** The number of groups in a treemap. Their figures are separate from those of the table. */
const maxParts = 200;

type View = { query: string; chart: string; page: string };

/** The questions behind a shared view: `ranked` and `detail` for charts, `listed` for the table. */
export function questionsOf(view: View, caller: Caller) {
  try {
    return readView(view, caller);
  } catch (error) {
    // The fault is in the link, and not in the request that opens it.
    throw error instanceof InvalidFields ? error.named((field) => `link.${field}`) : error;
  }
}

function readView({ query, chart, page }: View, caller: Caller) {
  const parameters = parametersOf(query);
  const read = (changes: Partial<CostsParameters> = {}): CostQuestion =>
    readQuestion({ ...parameters, ...changes }, caller);
  const detail = { granularity: 'total', sort: '-value', limit: maxParts } as const;
  // Why the cost changed is explained by jobs, which have no product.
  const {
    group_by: _,
    metric: __,
    granularity: ___,
    sort: ____,
    limit: _____,
    product: ______,
    ...period
  } = parameters;
  const listed = read();
  // Without an interval, bars and lines would have nothing to show.
  const isWhole = listed.granularity === 'total' && chart !== 'treemap';
  const drawn = isWhole && !listed.groupBy.includes('day');
  return {
    listed,
    ranked: read({
      sort: '-value',
      ...(drawn && {
        granularity: listed.window.days <= maxDaysByDay ? 'day' : 'week',
        limit: Math.min(listed.limit, drawnGroups),
      }),
    }),
    detail: chart === 'treemap' ? read({ ...detail, group_by: nestedBy(parameters) }) : null,
    change:
      page === 'overview'
        ? readChangeQuestion(
            { ...period, compare: comparisonOf(parameters), group_by: 'workflow', limit: 3 },
            caller,
          )
        : null,
  };
}

function comparisonOf({ compare }: CostsParameters) {
  return compare === 'none' ? undefined : compare;
}

function parametersOf(query: string): SharedParameters {
  const search = new URLSearchParams(query);
  search.delete('org_id');
  const given = Object.fromEntries(
    [...new Set(search.keys())].map((name) => {
      const values = search.getAll(name);
      return [name, values.length > 1 ? values : values[0]];
    }),
  );
  check ??= compileCheck(CostsQuery, 'query');
  const checked = check(given);
  if ('errors' in checked) {
    const faults = checked.errors.map(({ path, message }) => ({
      field: path.slice('query'.length + 1),
      message,
    }));
    throw new InvalidFields('invalid_request', (nameOf) =>
      invalidRequest(faults.map(({ field, message }) => ({ path: nameOf(field), message }))),
    );
  }
  return checked.value as SharedParameters;
}

const steps: readonly DimensionName[] = ['repository', 'workflow', 'job', 'runner'];

/** The dimensions of a treemap: the requested ones, or one and the next finer one. */
function nestedBy({ group_by: groupBy, metric }: CostsParameters): string {
  const [first = 'repository', second] = readGroupBy(groupBy);
  const next = steps
    .slice(steps.indexOf(first) + 1)
    .find((name) => name !== first && !(metric === 'runs' && ofJobsOnly.includes(name)));
  return [first, second ?? next].filter(Boolean).join(',');
}
