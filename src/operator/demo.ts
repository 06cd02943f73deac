import { constants } from 'node:os';
import type { Command } from 'commander';
import type { App } from '../app.ts';
import { type Progress, startProgress, stopOnSignal } from '../cli/follow.ts';
import { dollars, formatCount, printNote } from '../cli/output.ts';
import { wholeNumber } from '../cli/verbCommand.ts';
import type { Context } from '../context.ts';
import { importDemoBill } from '../demo/bill.ts';
import { ownership } from '../demo/company.ts';
import { demoHistory } from '../demo/history.ts';
import { getTrends } from '../ledger/costs/overview.ts';
import { importRules } from '../ledger/ownership/ruleFile.ts';
import { listMappings } from '../ledger/ownership/rules.ts';
import { listByDate } from '../ledger/pricing/netCost.ts';
import { getPricing, updatePricing } from '../ledger/pricing/settings.ts';
import type { RunReport } from '../ledger/runs/report.ts';
import { cliActor } from '../platform/lib/actor.ts';
import { commandLine, startCommand } from '../platform/lib/commandLine.ts';
import { countOf } from '../platform/lib/text.ts';
import { deleteOrganization, removeSome } from '../tenancy/organizations/deleteOrganization.ts';
import {
  createOrganization,
  demoLogin,
  getOrganization,
  isDemo,
  listOrganizations,
  type Organization,
} from '../tenancy/organizations/organizations.ts';
import { createSignInCode, signInLink } from '../tenancy/sessions/signIn.ts';
import { withApp } from './withApp.ts';

type DemoSize = { days: number; runs: number; seed: number };
type DemoOptions = DemoSize & { remove?: boolean };

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('create an organization with the CI history of an invented company, to try Runcost')
    .option('--days <count>', 'days of history up to today, 1 to 365', wholeNumber(1, 365), 90)
    .option('--runs <count>', 'number of runs, 1 to 1,000,000', wholeNumber(1, 1_000_000), 20_000)
    .option('--seed <number>', 'another seed makes another history', wholeNumber(0, 999_999_999), 1)
    .option('--remove', 'delete the organization of the demo, with all its data')
    .addHelpText('after', help)
    .action(({ remove, ...size }: DemoOptions) =>
      withApp((app) => (remove ? removeDemo(app) : loadDemo(app, size)), { mayCreate: !remove }),
    );
}

const help = `
The history depends on --days, --runs, --seed and the current UTC day. Loading it again on the same day changes no total
and completes a load that was stopped. Another day or other options add another history. Your own organizations stay as
they are. Commands without --org use yours.
`;

async function findDemo(app: App): Promise<Organization | undefined> {
  return (await listOrganizations(app)).find(isDemo);
}

async function loadDemo(app: App, size: DemoSize): Promise<void> {
  const known = await findDemo(app);
  const orgId = known?.orgId ?? (await createOrganization(app, { name: 'Demo', login: demoLogin }));
  const ctx = { ...app, actor: cliActor(orgId) };
  let stopped: NodeJS.Signals | null = null;
  const signal = stopOnSignal((name) => (stopped = name));
  const startedAt = app.clock.now();
  const progress = startProgress(size.runs, app.clock);
  const { reports, ...loaded } = await fillWithDemo(app, ctx, size, { progress, signal });
  const seconds = (app.clock.now().getTime() - startedAt.getTime()) / 1_000;
  const rate = formatCount(Math.round(loaded.runs / Math.max(seconds, 0.001)));
  const content = `${formatCount(loaded.runs)} runs with ${formatCount(loaded.jobs)} jobs`;
  console.log(`Loaded ${content} in ${seconds.toFixed(1)} s, ${rate} runs/s.`);
  if (stopped && loaded.runs < size.runs) {
    process.exitCode = 128 + constants.signals[stopped];
    return printNote('Stopped. Loaded runs stay; the same command completes the load today.');
  }
  if (reports > 0) printNote(`Imported a bill of ${countOf(reports, 'month')} to compare with.`);
  console.log(await costLine(ctx, size.days));
  const code = await createSignInCode(ctx, { validSeconds: 86_400, tokenId: null });
  console.log(`
Open this link while the server runs (${startCommand}). It signs you in to the demo once, within 24 hours:
  ${signInLink(app.publicUrl(), code)}`);
  printNote(nextSteps(app, orgId, size.days));
}

type Watching = { progress?: Progress; signal?: AbortSignal };

/** Tests use it, too, to fill other organizations. */
export async function fillWithDemo(
  app: App,
  ctx: Context,
  size: DemoSize,
  { progress, signal }: Watching = {},
): Promise<{ runs: number; jobs: number; reports: number }> {
  if ((await getPricing(ctx)).chosenAt === null)
    await updatePricing(ctx, {
      book_id: listByDate(ctx.providers).id,
      included_minutes: { github_plan: 'enterprise' },
    });
  await mapToOwners(ctx);
  const loaded = await recordAll(
    async (reports) => void (await app.recorder.record(ctx.actor.orgId, reports)),
    demoHistory({ ...size, now: app.clock.now() }),
    progress ?? { report: () => {}, end: () => {} },
    () => signal?.aborted ?? false,
  );
  progress?.end();
  return { ...loaded, reports: signal?.aborted ? 0 : await importDemoBill(app, ctx) };
}

async function removeDemo(app: App): Promise<void> {
  const signal = stopOnSignal();
  const demo = await findDemo(app);
  if (demo) await deleteOrganization({ ...app, actor: cliActor(demo.orgId) }, demo.name);
  // Also removes what an earlier command has left.
  while (!signal.aborted && (await removeSome(app)));
  if (signal.aborted) return printNote('The demo is deleted. The server removes the rest of its data.');
  printNote(demo ? `Deleted the demo (${demo.orgId}).` : 'There is no demo.');
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
  progress: Progress,
  isStopped: () => boolean,
): Promise<{ runs: number; jobs: number }> {
  const loaded = { runs: 0, jobs: 0 };
  for (const batch of batchesOf(history, runsPerBatch)) {
    if (isStopped()) break;
    await record(batch);
    loaded.runs += batch.length;
    loaded.jobs += batch.reduce((sum, { jobs }) => sum + jobs.length, 0);
    progress.report(loaded.runs);
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

/** The same amount as in the dashboard, which includes other runs of the organization. */
async function costLine(ctx: Context, days: number): Promise<string> {
  const { plan } = await getOrganization(ctx);
  const { data, period } = await getTrends({ ...ctx, plan }, days);
  const nanos = data.reduce((sum, { costNanos }) => sum + costNanos, 0n);
  return `CI cost ${dollars(nanos)} in this organization in the last ${formatCount(period.days)} days.`;
}

function nextSteps({ publicUrl, config }: App, orgId: string, days: number): string {
  const own = commandLine(config);
  const ask = (path: string): string =>
    `  curl -s -H "Authorization: Bearer $RUNCOST_TOKEN" "${publicUrl()}/api/v1${path}"`;
  return `
Or ask the API:
  export ORG=${orgId}
  export RUNCOST_TOKEN=$(RUNCOST_URL= ${own} token create --name me --org $ORG)
${ask(`/dashboard/trends?org_id=$ORG&days=${days}`)}
${ask(`/dashboard/top-workflows?org_id=$ORG&days=${days}`)}
${ask('/pricing/unpriced')}
API docs, to try every request: ${publicUrl()}/docs
To delete the demo: ${own} demo --remove`;
}
