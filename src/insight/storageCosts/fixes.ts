import { includedCacheBytes, monthlyStorageCost } from '../../ledger/storage/byteHours.ts';
import type { StoredItems } from '../../ledger/storage/storage.ts';
import { pullRequestRef, shortRetentionDays } from '../../ledger/storage/sumUp.ts';
import { compare, smaller } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { countOf } from '../../platform/lib/text.ts';

export const actions = ['shorten_retention', 'cache_default_branch_only', 'use_a_stable_cache_key'] as const;

/** `command` removes what is stored already, which the lines for the workflow do not change. */
export type StorageFix = {
  action: (typeof actions)[number];
  text: string;
  yaml: string;
  command: string | null;
  savingNanos: Nanos;
};

export type Item = StoredItems['items'][number];

/** The fix of each item that has one. Caches are paid above what is included, so together they save no more. */
export function fixesOf({ items, repositories }: Pick<StoredItems, 'items' | 'repositories'>, now: Date) {
  const paid = new Map(
    repositories.map(({ repository, cacheBytes }) => [repository, cacheBytes - includedCacheBytes]),
  );
  const fixes = new Map<Item, StorageFix>();
  for (const item of items.toSorted((a, b) => compare(removable(b), removable(a)))) {
    const left = item.kind === 'artifact' ? item.bytes : (paid.get(item.repository) ?? 0n);
    const bytes = smaller(removable(item), left);
    if (bytes <= 0n) continue;
    if (item.kind === 'cache') paid.set(item.repository, left - bytes);
    const savingNanos = monthlyStorageCost(item.kind, bytes);
    if (savingNanos > 0n) fixes.set(item, { ...fixOf(item, now), savingNanos });
  }
  return fixes;
}

/** The bytes that would not be stored after the fix. */
function removable({ kind, ref, bytes, staleBytes, retentionDays }: Item): bigint {
  if (kind === 'artifact')
    return retentionDays === null || retentionDays > shortRetentionDays ? staleBytes : 0n;
  return ref === pullRequestRef ? bytes : staleBytes;
}

function fixOf(item: Item, now: Date): Omit<StorageFix, 'savingNanos'> {
  if (item.kind === 'artifact') return shortenRetention(item, now);
  return item.ref === pullRequestRef ? cacheDefaultBranch(item) : stableKey(item);
}

/** Names are written by others, and end up in a shell: only harmless ones do. `*` is our mark of a changing part. */
const harmlessName = /^[\w.+@-][\w.+@ -]*$/;

/** What a name begins with; null if it is not harmless, or says nothing. */
function beginningOf(name: string): string | null {
  const [beginning = ''] = name.split('*');
  return harmlessName.test(beginning) ? beginning : null;
}

function shortenRetention({ name, retentionDays, weekItems, staleItems, ...item }: Item, now: Date) {
  const kept = retentionDays === null ? 'Kept for different times' : `Kept ${countOf(retentionDays, 'day')}`;
  const before = new Date(now.getTime() - shortRetentionDays * 86_400_000).toISOString().slice(0, 10);
  const beginning = beginningOf(name);
  const list = `repos/${item.repository}/actions/artifacts`;
  return {
    action: 'shorten_retention' as const,
    text:
      `${kept} and made ${countOf(weekItems, 'time')} in the last week. ` +
      `${countOf(staleItems, 'artifact')} ${staleItems === 1 ? 'is' : 'are'} older than ${shortRetentionDays} days. Set retention-days where they ` +
      'are uploaded. Older artifacts stay until they expire, unless you delete them.',
    yaml: [
      '# actions/upload-artifact',
      'with:',
      ...(beginning === name ? [`  name: ${name}`] : []),
      `  retention-days: ${shortRetentionDays}`,
      '',
    ].join('\n'),
    command:
      beginning &&
      `gh api --paginate '${list}?per_page=100' --jq '.artifacts[] | select(${matching('name', name, beginning)} and (.expired | not) and .created_at < "${before}") | .id' | xargs -I ID gh api -X DELETE ${list}/ID`,
  };
}

function matching(field: string, name: string, beginning: string): string {
  return beginning === name ? `.${field} == "${name}"` : `(.${field} | startswith("${beginning}"))`;
}

function cacheDefaultBranch({ items, ...item }: Item) {
  return {
    action: 'cache_default_branch_only' as const,
    text:
      `${countOf(items, 'cache')} of pull requests. Only the same pull request can restore them. Save caches on the ` +
      'default branch: pull requests restore these.',
    yaml: "# the step that saves: actions/cache/save\nif: github.event_name != 'pull_request'\n",
    command: deleteCaches(item, '.ref | startswith("refs/pull/")'),
  };
}

function stableKey({ items, staleItems, ...item }: Item) {
  return {
    action: 'use_a_stable_cache_key' as const,
    text:
      `${staleItems} of ${countOf(items, 'cache')} were never restored: their key was new each time. Make the key from ` +
      'what the cache depends on, such as the lock file.',
    yaml: [
      '# actions/cache',
      'with:',
      "  key: ${{ runner.os }}-deps-${{ hashFiles('**/package-lock.json') }}",
      '  restore-keys: ${{ runner.os }}-deps-',
      '',
    ].join('\n'),
    command: deleteCaches(item, `.ref == "${item.ref}" and .createdAt == .lastAccessedAt`),
  };
}

function deleteCaches({ repository, name, ref }: Pick<Item, 'repository' | 'name' | 'ref'>, which: string) {
  const beginning = beginningOf(name);
  const isHarmless = ref === pullRequestRef || /^[\w./-]+$/.test(ref);
  if (beginning === null || !isHarmless) return null;
  return `gh cache list -R ${repository} --key '${beginning}' --limit 1000 --json id,ref,createdAt,lastAccessedAt --jq '.[] | select(${which}) | .id' | xargs -n 1 gh cache delete -R ${repository}`;
}
