import type { Context } from '../../context.ts';
import { planProduct } from '../../ledger/pricing/productAllowances.ts';
import { getIncluded } from '../../ledger/pricing/settings.ts';
import {
  divideAmong,
  gigabyte,
  includedCacheBytes,
  monthlyStorageCost,
  storageCost,
} from '../../ledger/storage/byteHours.ts';
import { findStorage, type StoredItems } from '../../ledger/storage/storage.ts';
import { dayOf, monthAround } from '../../platform/lib/days.ts';
import { derivedId } from '../../platform/lib/ids.ts';
import { compare, larger, sumOf } from '../../platform/lib/lists.ts';
import {
  divideHalfEven,
  formatNanos,
  usd,
  type DecimalNumber,
  type Nanos,
} from '../../platform/lib/money.ts';
import { fixesOf, type Item, type StorageFix } from './fixes.ts';

type Priced = { item: Item; monthNanos: Nanos; paceNanos: Nanos; fix: StorageFix | null };

export type Storage = Awaited<ReturnType<typeof getStorage>>;

export async function getStorage(
  ctx: Pick<Context, 'db' | 'clock' | 'actor' | 'providers'>,
  asked: { repo?: string | undefined; workflowId?: string | undefined },
) {
  const now = ctx.clock.now();
  const stored = await findStorage(ctx, asked);
  const plan = (await getIncluded(ctx))?.githubPlan ?? null;
  const included = planProduct({ product: 'artifacts', plan }, dayOf(now), ctx.providers);
  const all = priced(stored, now);
  return { ...stored, included, priced: all, saving: savedBy(all), month: monthAround(dayOf(now)).start };
}

export function storageFixId({ repository, kind, workflowId, name, ref }: Item): string {
  return derivedId('sto', repository, kind, workflowId, name, ref);
}

/** Most saved first, then most expensive. Caches share what the repository's caches cost. */
export function priced(stored: Pick<StoredItems, 'items' | 'repositories'>, now: Date): Priced[] {
  const fixes = fixesOf(stored, now);
  const ofArtifacts = stored.items
    .filter(({ kind }) => kind === 'artifact')
    .map((item) => ({
      item,
      monthNanos: storageCost('artifact', item.byteHours),
      paceNanos: monthlyStorageCost('artifact', item.bytes),
    }));
  const cachesOf = Map.groupBy(
    stored.items.filter(({ kind }) => kind === 'cache'),
    ({ repository }) => repository,
  );
  const ofCaches = stored.repositories.flatMap(({ repository, cacheBytes, cacheByteHours }) => {
    const items = cachesOf.get(repository) ?? [];
    const weights = items.map(({ bytes }) => bytes);
    const paid = larger(cacheBytes - includedCacheBytes, 0n);
    const month = divideAmong(storageCost('cache', cacheByteHours), weights);
    const pace = divideAmong(monthlyStorageCost('cache', paid), weights);
    return items.map((item, index) => ({ item, monthNanos: month[index]!, paceNanos: pace[index]! }));
  });
  return [...ofArtifacts, ...ofCaches]
    .map((each) => ({ ...each, fix: fixes.get(each.item) ?? null }))
    .toSorted(inOrder);
}

function inOrder(a: Priced, b: Priced): number {
  return (
    compare(b.fix?.savingNanos ?? 0n, a.fix?.savingNanos ?? 0n) ||
    compare(b.paceNanos, a.paceNanos) ||
    compare(b.item.bytes, a.item.bytes) ||
    compare(nameOf(a.item), nameOf(b.item))
  );
}

function nameOf({ repository, kind, workflowId, name, ref }: Item): string {
  return [repository, kind, workflowId, name, ref].join('\n');
}

const savedBy = (all: readonly Priced[]): Nanos =>
  all.reduce((sum, { fix }) => sum + (fix?.savingNanos ?? 0n), 0n);

/** To nine decimals, as money. */
function gigabytes(bytes: bigint): DecimalNumber {
  return usd(divideHalfEven(bytes * 1_000_000_000n, gigabyte));
}

export function storageView(
  { repositories, items, days, included, priced: all, saving, month }: Storage,
  shown: readonly Priced[],
) {
  const artifacts = items.filter(({ kind }) => kind === 'artifact');
  const artifactsOf = Map.groupBy(artifacts, ({ repository }) => repository);
  const pricedOf = Map.groupBy(all, ({ item }) => item.repository);
  return {
    month_start: month,
    artifacts: artifacts.reduce((sum, { items: count }) => sum + count, 0),
    artifact_gb: gigabytes(sumOf(artifacts, 'bytes')),
    cache_gb: gigabytes(sumOf(repositories, 'cacheBytes')),
    ...amountsView(all),
    saving_per_month: usd(saving),
    included: included && { github_plan: included.plan!, gb: Number(formatNanos(included.perMonthNanos)) },
    repositories: repositories.map(({ repository, ...row }) => ({
      repository,
      read_at: row.readAt,
      artifact_gb: gigabytes(sumOf(artifactsOf.get(repository) ?? [], 'bytes')),
      caches: row.caches,
      cache_gb: gigabytes(row.cacheBytes),
      ...amountsView(pricedOf.get(repository) ?? []),
      unlisted: row.unlisted,
      unknown_artifacts: row.unknownArtifacts,
      problems: row.problems,
    })),
    days: days.map(({ day, artifactBytes, cacheBytes }) => ({
      day,
      artifact_gb: gigabytes(artifactBytes),
      cache_gb: gigabytes(cacheBytes),
    })),
    items: shown.map(itemView),
  };
}

function amountsView(all: readonly Priced[]) {
  return {
    cost_this_month: usd(sumOf(all, 'monthNanos')),
    cost_per_month: usd(sumOf(all, 'paceNanos')),
  };
}

function itemView({ item, monthNanos, paceNanos, fix }: Priced) {
  return {
    repository: item.repository,
    kind: item.kind,
    workflow_id: item.workflowId || null,
    workflow: item.workflow,
    name: item.name,
    ref: item.ref || null,
    count: item.items,
    gb: gigabytes(item.bytes),
    gb_hours: gigabytes(item.byteHours),
    cost_this_month: usd(monthNanos),
    cost_per_month: usd(paceNanos),
    retention_days: item.retentionDays,
    made_last_week: item.weekItems,
    first_expires_at: item.firstExpiresAt,
    last_expires_at: item.lastExpiresAt,
    expiring_gb: gigabytes(item.expiringBytes),
    saving_per_month: usd(fix?.savingNanos ?? 0n),
    fix: fix && {
      id: storageFixId(item),
      action: fix.action,
      text: fix.text,
      yaml: fix.yaml,
      command: fix.command,
    },
  };
}
