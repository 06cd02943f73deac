import {
  aboutJobs,
  initial,
  literal,
  parametersOf,
  type Filter,
  type Question,
} from '../../analysis/question.ts';
import type { Dimension } from '../../analysis/words.ts';
import { repositoryAddress, teamAddress } from '../../ui/useAddress.ts';
import type { ListedAlert } from '../alerts/types.ts';

/** What a page is about. Null means unowned costs. */
export type Scope = { dimension: 'repository' | 'team' | 'workflow'; value: string | null };

function filterOf({ dimension, value }: Scope): Filter {
  return { dimension, isNot: false, values: [literal(value)] };
}

/** The question of the address within the scope, grouped as the page needs it. */
export function withinScope(question: Question, scope: Scope, groupBy: Dimension[]): Question {
  const others = aboutJobs(question).filters.filter(({ dimension }) => dimension !== scope.dimension);
  return { ...question, groupBy, filters: [filterOf(scope), ...others] };
}

/** The address of a question without the scope, which the path already names. */
export function parametersWithin(
  { filters, ...question }: Question,
  { dimension }: Scope,
  others: URLSearchParams,
): URLSearchParams {
  const kept = filters.filter((filter) => filter.dimension !== dimension);
  const rest = new URLSearchParams(others);
  // A new question starts on the first page.
  rest.delete('page');
  return parametersOf({ ...question, filters: kept, groupBy: initial.groupBy }, rest);
}

/** Whether the alert watches this scope or a part of it; `*` in the alert's value matches any characters. */
export function watches(
  { scope: watched }: Pick<ListedAlert, 'scope'>,
  { dimension, value }: Scope,
): boolean {
  if (value === null) return false;
  if (watched.type === dimension) return matches(watched.value ?? '', value);
  return dimension === 'repository' && watched.type === 'branch' && matches(watched.repository ?? '', value);
}

function matches(pattern: string, value: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'is').test(value);
}

export function newBudgetAddress({ dimension, value }: Scope): string {
  return `/alerts/new?${new URLSearchParams({ scope_type: dimension, scope_value: value ?? '' })}`;
}

const ofScopes: readonly string[] = ['product', 'repository', 'workflow', 'team', 'cost_center'];

/** Keeps the range, the comparison, the measure and the other filters. */
export function searchBeside(question: Question): string {
  const filters = question.filters.filter(({ dimension }) => !ofScopes.includes(dimension));
  const search = parametersOf({ ...question, ...unordered, filters }).toString();
  return search && `?${search}`;
}

const { groupBy, sort, limit, granularity } = initial;
const unordered = { groupBy, sort, limit, granularity };

const addresses: Record<Scope['dimension'], (value: string) => string> = {
  repository: repositoryAddress,
  team: (value) => teamAddress(value || null),
  workflow: (value) => `/workflows/${value}`,
};

/** The page of a part of a chart; null if it has none. */
export function pageOfPart(key: string, question: Question): string | null {
  const at = key.indexOf('=');
  const dimension = key.slice(0, Math.max(0, at));
  if (question.groupBy.length !== 1 || !isScope(dimension)) return null;
  return addresses[dimension](key.slice(at + 1)) + searchBeside(question);
}

function isScope(name: string): name is Scope['dimension'] {
  return Object.hasOwn(addresses, name);
}

/** Pages of the repository, team or workflow that the question is restricted to. */
export function pagesOf(question: Question): { dimension: Scope['dimension']; href: string }[] {
  return question.filters.flatMap(({ dimension, isNot, values }) => {
    const [value = '*', ...more] = values;
    if (!isScope(dimension) || isNot || more.length > 0 || (value.includes('*') && !value.startsWith('=')))
      return [];
    // A workflow filter can also be a name, which several workflows can share.
    if (dimension === 'workflow' && !value.startsWith('wf_')) return [];
    return [{ dimension, href: addresses[dimension](value.replace(/^=/, '')) + searchBeside(question) }];
  });
}
