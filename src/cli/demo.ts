import { constants } from 'node:os';
import type { Command } from 'commander';
import type { App } from '../app.ts';
import { commandLine } from '../config.ts';
import type { Context } from '../context.ts';
import { getDataQuality } from '../ledger/costs/dataQuality.ts';
import { getTrends } from '../ledger/costs/overview.ts';
import { importRules } from '../ledger/ownership/ruleFile.ts';
import { listMappings } from '../ledger/ownership/rules.ts';
import { listByDate } from '../ledger/pricing/netCost.ts';
import { getPricing, updatePricing } from '../ledger/pricing/settings.ts';
import type { RunReport } from '../ledger/runs/report.ts';
import { startCommand } from '../platform/lib/commandLine.ts';
import { createFirstOrganization, getOrganization } from '../tenancy/organizations/organizations.ts';
import { createSignInCode, signInLink } from '../tenancy/sessions/signIn.ts';
import { contextFor, orgOption, wholeNumber, withApp } from './command.ts';
import { importDemoBill } from './demoBill.ts';
import { ownership } from './demoCompany.ts';
import { demoHistory } from './demoHistory.ts';
import { type Progress, startProgress, stopOnSignal } from './followTask.ts';
import { dollars, formatCount, printNote } from './output.ts';

type DemoCommandOptions = { org?: string; days: number; runs: number; seed: number };

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('load the CI history of an invented company to try Runcost')
    .option(...orgOption)
    .option('--days <count>', 'days of history up to today, 1 to 365', wholeNumber(1, 365), 90)
    .option('--runs <count>', 'number of runs, 1 to 1,000,000', wholeNumber(1, 1_000_000), 20_000)
    .option('--seed <number>', 'another seed makes another history', wholeNumber(0, 999_999_999), 1)
    .addHelpText('after', help)
    .action((options: DemoCommandOptions) =>
      withApp('demo', (app) => loadDemo(app, options), { mayCreate: true }),
    );
}

const help = `
The history depends on --days, --runs, --seed and the current UTC day. Loading it again on the same day changes no total
and completes a load that was stopped. Another day or other options add another history. Create an organization for it
(org create): to remove the history, delete that organization (org delete). An empty organization without a chosen
price list gets "GitHub, by the date of each job" and the included minutes of GitHub Enterprise; others keep theirs. An
organization without ownership rules gets those of the company's teams, and one without bill reports a bill.
`;

async function loadDemo(app: App, { org, ...size }: DemoCommandOptions): Promise<void> {
  if (org === undefined) await createFirstOrganization(app, { name: 'My organization' });
  const ctx = await contextFor(app, org);
  await chooseListOfDates(ctx);
  await mapToOwners(ctx);
  let stopped: NodeJS.Signals | null = null;
  const signal = stopOnSignal((name) => (stopped = name));
  const startedAt = app.clock.now();
  const progress = startProgress(size.runs, app.clock);
  const loaded = await recordAll(
    async (reports) => void (await app.recorder.record(ctx.actor.orgId, reports)),
    demoHistory({ ...size, now: startedAt }),
    progress,
    () => signal.aborted,
  );
  progress.end();
  const seconds = (app.clock.now().getTime() - startedAt.getTime()) / 1_000;
  const rate = formatCount(Math.round(loaded.runs / Math.max(seconds, 0.001)));
  const content = `${formatCount(loaded.runs)} runs with ${formatCount(loaded.jobs)} jobs`;
  console.log(`Loaded ${content} in ${seconds.toFixed(1)} s, ${rate} runs/s.`);
  if (stopped && loaded.runs < size.runs) {
    process.exitCode = 128 + constants.signals[stopped];
    return printNote('Stopped. Loaded runs stay; the same command completes the load today.');
  }
  const reports = await importDemoBill(app, ctx);
  if (reports > 0)
    printNote(
      `Imported a bill of ${formatCount(reports)} ${reports === 1 ? 'month' : 'months'} to compare with.`,
    );
  console.log(await costLine(ctx, size.days));
  const code = await createSignInCode(ctx, { validSeconds: 86_400, tokenId: null });
  printNote(nextSteps(app, ctx.actor.orgId, size.days, code));
}

/** Chooses the price list by date and GitHub's plan, unless somebody chose a list or jobs have been priced. */
async function chooseListOfDates(ctx: Context): Promise<void> {
  const [{ plan }, { chosenAt }] = await Promise.all([getOrganization(ctx), getPricing(ctx)]);
  const { lastEventAt } = await getDataQuality({ ...ctx, plan }, 1);
  if (chosenAt === null && lastEventAt === null)
    await updatePricing(ctx, {
      book_id: listByDate(ctx.providers).id,
      included_minutes: { github_plan: 'enterprise' },
    });
  const { book } = await getPricing(ctx);
  printNote(`Jobs are priced with ${book.book.name}.`);
}

/** Adds the teams and cost centers of the invented company, unless the organization has its own. */
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

/** The dashboard's number, which includes other runs of the organization. */
async function costLine(ctx: Context, days: number): Promise<string> {
  const { plan } = await getOrganization(ctx);
  const { data, period } = await getTrends({ ...ctx, plan }, days);
  const nanos = data.reduce((sum, { costNanos }) => sum + costNanos, 0n);
  return `CI cost ${dollars(nanos)} in this organization in the last ${formatCount(period.days)} days.`;
}

function nextSteps({ publicUrl, config }: App, orgId: string, days: number, code: string): string {
  const ask = (path: string): string =>
    `  curl -s -H "Authorization: Bearer $RUNCOST_TOKEN" "${publicUrl()}/api/v1${path}"`;
  return `
See it on the dashboard while the server runs (${startCommand}). This link signs you in once, within 24 hours:
  ${signInLink(publicUrl(), code)}

Or ask the API:
  export ORG=${orgId}
  export RUNCOST_TOKEN=$(${commandLine(config)} token create --name me --org $ORG)
${ask(`/dashboard/trends?org_id=$ORG&days=${days}`)}
${ask(`/dashboard/top-workflows?org_id=$ORG&days=${days}`)}
${ask('/pricing/unpriced')}
API docs, to try every request: ${publicUrl()}/docs`;
}
