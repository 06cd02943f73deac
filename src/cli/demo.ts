import { constants } from 'node:os';
import type { Command } from 'commander';
import type { App } from '../app.ts';
import { commandLine } from '../config.ts';
import type { Context } from '../context.ts';
import { getDataQuality } from '../ledger/costs/dataQuality.ts';
import { getTrends } from '../ledger/costs/overview.ts';
import { listByDate } from '../ledger/pricing/includedMinutes.ts';
import { getPricing, updatePricing } from '../ledger/pricing/settings.ts';
import type { RunReport } from '../ledger/runs/report.ts';
import { getOrganization } from '../tenancy/organizations/organizations.ts';
import { createSignInCode, signInLink } from '../tenancy/sessions/signIn.ts';
import { contextFor, orgOption, wholeNumber, withApp } from './command.ts';
import { demoHistory } from './demoHistory.ts';
import { type Progress, startProgress, stopOnSignal } from './followTask.ts';
import { dollarsAndCents, formatCount, printNote } from './output.ts';

type DemoCommandOptions = { org?: string; days: number; runs: number; seed: number };

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('load the CI history of an invented company, to look around with')
    .option(...orgOption)
    .option('--days <count>', 'days of history up to today, 1 to 365', wholeNumber(1, 365), 90)
    .option('--runs <count>', 'runs in all, 1 to 1,000,000', wholeNumber(1, 1_000_000), 20_000)
    .option('--seed <number>', 'another number makes another history', wholeNumber(0, 999_999_999), 1)
    .addHelpText('after', help)
    .action((options: DemoCommandOptions) => withApp('demo', (app) => loadDemo(app, options)));
}

const help = `
The history follows from --days, --runs, --seed and the UTC day on which it is loaded. Loading it again on that day
changes no total and completes one that was stopped; another day, or other options, add another history. Give it
an organization of its own (org create): to remove the history, delete that organization (org delete). An empty organization whose price list nobody has chosen
gets the list "GitHub, by the date of each job"; any other keeps its list.
`;

async function loadDemo(app: App, { org, ...size }: DemoCommandOptions): Promise<void> {
  const ctx = await contextFor(app, org);
  await chooseListOfDates(ctx);
  let stopped: NodeJS.Signals | null = null;
  const signal = stopOnSignal((name) => (stopped = name));
  const startedAt = app.clock.now();
  const progress = startProgress(size.runs, app.clock);
  const loaded = await recordAll(
    (reports) => app.recorder.record(ctx.actor.orgId, reports),
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
    return printNote('Stopped. What is loaded stays; the same command completes it today.');
  }
  console.log(await costLine(ctx, size.days));
  const code = await createSignInCode(ctx, { validSeconds: 86_400, tokenId: null });
  printNote(nextSteps(app, ctx.actor.orgId, size.days, code));
}

/**
 * Prices the demo by the list of each day, in an organization that has nothing yet and whose list nobody chose: what
 * people have chosen, or have had jobs priced with, stays.
 */
async function chooseListOfDates(ctx: Context): Promise<void> {
  const [{ plan }, { chosenAt }] = await Promise.all([getOrganization(ctx), getPricing(ctx)]);
  const { lastEventAt } = await getDataQuality({ ...ctx, plan }, 1);
  if (chosenAt === null && lastEventAt === null)
    await updatePricing(ctx, { book_id: listByDate(ctx.providers).id });
  const { book } = await getPricing(ctx);
  printNote(`Jobs are priced with ${book.book.name}.`);
}

const runsPerBatch = 500;

/** Records in batches until all is done or somebody wants it to stop. */
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

/** What the dashboard says now, which counts other runs of the organization too. */
async function costLine(ctx: Context, days: number): Promise<string> {
  const { plan } = await getOrganization(ctx);
  const { data, period } = await getTrends({ ...ctx, plan }, days);
  const nanos = data.reduce((sum, { costNanos }) => sum + costNanos, 0n);
  return `The organization's CI cost ${dollarsAndCents(nanos)} in the last ${formatCount(period.days)} days.`;
}

/** The way to the dashboard, and lines to be pasted into a shell as they are. */
function nextSteps({ publicUrl, config }: App, orgId: string, days: number, code: string): string {
  const ask = (path: string): string =>
    `  curl -s -H "Authorization: Bearer $TOKEN" "${publicUrl()}/api/v1${path}"`;
  return `
See it on the dashboard while the server runs (npm start). This link signs you in once, within 24 hours:
  ${signInLink(publicUrl(), code)}

Or ask the API:
  export ORG=${orgId}
  export TOKEN=$(${commandLine(config)} token create --name me --org $ORG)
${ask(`/dashboard/trends?org_id=$ORG&days=${days}`)}
${ask(`/dashboard/top-workflows?org_id=$ORG&days=${days}`)}
${ask('/pricing/unpriced')}
All of it, with a form to try it: ${publicUrl()}/docs`;
}
