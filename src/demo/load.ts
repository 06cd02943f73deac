import type { App } from '../app.ts';
import type { Context } from '../context.ts';
import { importRules } from '../ledger/ownership/ruleFile.ts';
import { listMappings } from '../ledger/ownership/rules.ts';
import { createPool, listPools } from '../ledger/pools/pools.ts';
import { listByDate } from '../ledger/pricing/provider.ts';
import { getPricing, updatePricing } from '../ledger/pricing/settings.ts';
import { recordPullRequests } from '../ledger/pullRequests/pullRequests.ts';
import { saveAmounts } from '../ledger/runs/amounts.ts';
import type { RunReport } from '../ledger/runs/report.ts';
import { recordStorage } from '../ledger/storage/storage.ts';
import { addDays, dayOf, type Day } from '../platform/lib/days.ts';
import { importDemoBill } from './bill.ts';
import { ownership, pools } from './company.ts';
import { demoHistory } from './history.ts';
import { amountsOf, createStorage } from './otherUse.ts';
import { createPullRequests } from './pullRequests.ts';

export type DemoSize = { days: number; runs: number; seed: number };

type Loading = {
  report?: (runs: number) => Promise<void> | void;
  signal?: AbortSignal;
  /** The last instant of the history. */
  now?: Date;
};

/**
 * Adds the history to an organization, with its price list, owners, runner pools, storage and bill. After a stop or kill
 * at any point, loading it again up to the same instant gives the same result.
 */
export async function loadDemo(
  app: App,
  ctx: Context,
  size: DemoSize,
  { report = () => {}, signal, now = app.clock.now() }: Loading = {},
): Promise<{ runs: number; jobs: number; reports: number }> {
  if ((await getPricing(ctx)).chosenAt === null)
    await updatePricing(ctx, {
      book_id: listByDate(ctx.providers, 'github').id,
      included_minutes: { github_plan: 'enterprise' },
    });
  await mapToOwners(ctx);
  await addPools(ctx, addDays(dayOf(now), 1 - size.days));
  const pullRequests = createPullRequests();
  const storage = createStorage();
  const loaded = await recordAll(
    async (reports) => {
      for (const each of reports) {
        pullRequests.note(each);
        storage.note(each);
      }
      await app.recorder.record(ctx.actor.orgId, reports);
      await saveAmounts(ctx.db, ctx.actor.orgId, amountsOf(reports), now);
    },
    demoHistory({ ...size, now }),
    { report, isStopped: () => signal?.aborted ?? false },
  );
  if (signal?.aborted) return { ...loaded, reports: 0 };
  await recordPullRequests(app, ctx.actor.orgId, pullRequests.reports(now));
  for (const reading of storage.readings(now)) await recordStorage(app, ctx.actor.orgId, reading);
  return { ...loaded, reports: await importDemoBill(app, ctx, storage.lines, now) };
}

/** Adds the teams and cost centers of the invented company, unless the organization has its own rules. */
async function mapToOwners(ctx: Context): Promise<void> {
  if ((await listMappings(ctx.db, ctx.actor.orgId)).length > 0) return;
  await importRules(ctx, ownership, { dryRun: false, removeAll: false });
}

async function addPools(ctx: Context, firstDay: Day): Promise<void> {
  const known = new Set((await listPools(ctx.db, ctx.actor.orgId)).map(({ name }) => name));
  for (const { machines, monthlyUsd, ...pool } of pools) {
    if (known.has(pool.name)) continue;
    const periods = [{ first_day: firstDay, machines, monthly_usd: monthlyUsd }];
    await createPool(ctx, { ...pool, match: 'label', periods });
  }
}

const runsPerBatch = 500;

export async function recordAll(
  record: (reports: RunReport[]) => Promise<void>,
  history: Iterable<RunReport>,
  { report, isStopped }: { report: NonNullable<Loading['report']>; isStopped: () => boolean },
): Promise<{ runs: number; jobs: number }> {
  const loaded = { runs: 0, jobs: 0 };
  for (const batch of batchesOf(history, runsPerBatch)) {
    if (isStopped()) break;
    await record(batch);
    loaded.runs += batch.length;
    loaded.jobs += batch.reduce((sum, { jobs }) => sum + jobs.length, 0);
    await report(loaded.runs);
  }
  return loaded;
}

function* batchesOf<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = [];
  for (const item of items) {
    if (batch.push(item) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
