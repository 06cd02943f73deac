import type { App } from '../app.ts';
import type { Context } from '../context.ts';
import { importRules } from '../ledger/ownership/ruleFile.ts';
import { listMappings } from '../ledger/ownership/rules.ts';
import { listByDate } from '../ledger/pricing/provider.ts';
import { getPricing, updatePricing } from '../ledger/pricing/settings.ts';
import { recordPullRequests } from '../ledger/pullRequests/pullRequests.ts';
import type { RunReport } from '../ledger/runs/report.ts';
import { importDemoBill } from './bill.ts';
import { ownership } from './company.ts';
import { demoHistory } from './history.ts';
import { createPullRequests } from './pullRequests.ts';

export type DemoSize = { days: number; runs: number; seed: number };

type Watching = { report?: (runs: number) => void; signal?: AbortSignal };

/** Adds the history to an organization, with its price list, owners and bill. */
export async function loadDemo(
  app: App,
  ctx: Context,
  size: DemoSize,
  { report = () => {}, signal }: Watching = {},
): Promise<{ runs: number; jobs: number; reports: number }> {
  if ((await getPricing(ctx)).chosenAt === null)
    await updatePricing(ctx, {
      book_id: listByDate(ctx.providers, 'github').id,
      included_minutes: { github_plan: 'enterprise' },
    });
  await mapToOwners(ctx);
  const pullRequests = createPullRequests();
  const loaded = await recordAll(
    async (reports) => {
      reports.forEach(pullRequests.note);
      await app.recorder.record(ctx.actor.orgId, reports);
    },
    demoHistory({ ...size, now: app.clock.now() }),
    { report, isStopped: () => signal?.aborted ?? false },
  );
  await recordPullRequests(app, ctx.actor.orgId, pullRequests.reports(app.clock.now()));
  return { ...loaded, reports: signal?.aborted ? 0 : await importDemoBill(app, ctx) };
}

/** Adds the teams and cost centers of the invented company, unless the organization has its own rules. */
async function mapToOwners(ctx: Context): Promise<void> {
  if ((await listMappings(ctx.db, ctx.actor.orgId)).length > 0) return;
  await importRules(ctx, ownership, { dryRun: false, removeAll: false });
}

const runsPerBatch = 500;

export async function recordAll(
  record: (reports: RunReport[]) => Promise<void>,
  history: Iterable<RunReport>,
  { report, isStopped }: { report: (runs: number) => void; isStopped: () => boolean },
): Promise<{ runs: number; jobs: number }> {
  const loaded = { runs: 0, jobs: 0 };
  for (const batch of batchesOf(history, runsPerBatch)) {
    if (isStopped()) break;
    await record(batch);
    loaded.runs += batch.length;
    loaded.jobs += batch.reduce((sum, { jobs }) => sum + jobs.length, 0);
    report(loaded.runs);
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
