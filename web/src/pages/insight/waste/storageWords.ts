import type { Answer } from '../../../api/query.ts';
import { count, gigabytes, shortDay } from '../../../ui/figures.ts';

export const storagePath = '/api/v1/storage';

export type StorageItem = Answer<typeof storagePath>['items'][number];

/** Who made it, as far as GitHub says. */
export function makerOf({ kind, workflow, ref }: Pick<StorageItem, 'kind' | 'workflow' | 'ref'>): string {
  if (kind === 'artifact') return workflow ?? 'Run not recorded';
  if (ref === 'refs/pull/*') return 'pull requests';
  return ref === null ? 'any branch' : ref.replace(/^refs\/(heads|tags)\//, '');
}

type Expiring = Pick<StorageItem, 'kind' | 'count' | 'first_expires_at' | 'last_expires_at' | 'expiring_gb'>;

export function expiryOf({
  kind,
  count: held,
  first_expires_at: first,
  last_expires_at: last,
  ...item
}: Expiring) {
  if (kind === 'cache')
    return 'GitHub removes caches 7 days after their last use, unless your settings say otherwise.';
  if (held === 0) return 'All of them have expired.';
  if (first === null || last === null) return 'They never expire.';
  const [from, until] = [first, last].map((time) => shortDay(time.slice(0, 10)));
  const soon = item.expiring_gb > 0 ? ` ${gigabytes(item.expiring_gb)} of it within a week.` : '';
  return from === until ? `Expires ${from}.` : `Expires from ${from} to ${until}.${soon}`;
}

/** What the sums leave out. */
export function gapsOf(repositories: Answer<typeof storagePath>['repositories']): string[] {
  const unknown = repositories.reduce((sum, { unknown_artifacts: each }) => sum + each, 0);
  const text =
    unknown === 1
      ? '1 artifact belongs to a run that is not recorded.'
      : `${count(unknown)} artifacts belong to runs that are not recorded.`;
  return [
    ...(unknown > 0 ? [`${text} A backfill names their workflows.`] : []),
    ...repositories.flatMap(({ problems }) => problems),
  ];
}
