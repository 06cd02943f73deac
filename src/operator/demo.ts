import { constants } from 'node:os';
import type { Command } from 'commander';
import type { App } from '../app.ts';
import { stopOnSignal, withProgress } from '../cli/follow.ts';
import { formatCount, printNote } from '../cli/output.ts';
import { wholeNumber } from '../cli/verbCommand.ts';
import type { Context } from '../context.ts';
import { loadDemo, type DemoSize } from '../demo/load.ts';
import { getTrends } from '../ledger/costs/summary.ts';
import { cliActor } from '../platform/lib/actor.ts';
import { dollars } from '../platform/lib/amountTexts.ts';
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

type DemoOptions = DemoSize & { remove?: boolean };

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .option('--days <count>', 'days of history up to today, 1 to 365', wholeNumber(1, 365), 90)
    .option('--runs <count>', 'number of runs, 1 to 1,000,000', wholeNumber(1, 1_000_000), 20_000)
    .option('--seed <number>', 'another seed makes another history', wholeNumber(0, 999_999_999), 1)
    .option('--remove', 'delete the organization of the demo, with all its data')
    .addHelpText('after', help)
    .action(({ remove, ...size }: DemoOptions) =>
      withApp((app) => (remove ? removeDemo(app) : load(app, size)), { mayCreate: !remove }),
    );
}

const help = `
The history depends on --days, --runs, --seed and the current UTC day. Loading it again on the same day changes no total
and completes a load that was stopped. Another day or other options add another history. Your own organizations stay as
they are. Commands without --org use yours.

Examples:
  runcost demo --days 30 --runs 5000
  runcost demo --remove
`;

async function findDemo(app: App): Promise<Organization | undefined> {
  return (await listOrganizations(app)).find(isDemo);
}

async function load(app: App, size: DemoSize): Promise<void> {
  const known = await findDemo(app);
  const orgId = known?.orgId ?? (await createOrganization(app, { name: 'Demo', login: demoLogin }));
  const ctx = { ...app, actor: cliActor(orgId) };
  let stopped: NodeJS.Signals | null = null;
  const signal = stopOnSignal((name) => (stopped = name));
  const startedAt = app.clock.now();
  const { reports, ...loaded } = await withProgress({ total: size.runs, unit: 'runs' }, (report) =>
    loadDemo(app, ctx, size, { report, signal }),
  );
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

async function removeDemo(app: App): Promise<void> {
  const signal = stopOnSignal();
  const demo = await findDemo(app);
  if (demo) await deleteOrganization({ ...app, actor: cliActor(demo.orgId) }, demo.name);
  // Also removes what an earlier command has left.
  while (!signal.aborted && (await removeSome(app)));
  if (signal.aborted) return printNote('The demo is deleted. The server removes the rest of its data.');
  printNote(demo ? `Deleted the demo (${demo.orgId}).` : 'There is no demo.');
}

/** The same amount as in the dashboard, which includes other runs of the organization. */
async function costLine(ctx: Context & Pick<App, 'log'>, days: number): Promise<string> {
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
  export RUNCOST_TOKEN=$(RUNCOST_URL= ${own} token create --name me --role owner --org $ORG)
${ask(`/dashboard/trends?org_id=$ORG&days=${days}`)}
${ask(`/dashboard/top-workflows?org_id=$ORG&days=${days}`)}
${ask('/pricing/unpriced')}
API docs, to try every request: ${publicUrl()}/docs
To delete the demo: ${own} demo --remove`;
}
