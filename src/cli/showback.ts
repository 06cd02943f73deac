import { Option, type Command } from 'commander';
import type { Context } from '../context.ts';
import {
  getShowback,
  nameOf,
  readShowback,
  showbackCsv,
  showbackMetrics,
  showbackView,
  type AskedShowback,
  type Showback,
} from '../insight/showback/showback.ts';
import { ownerKinds } from '../ledger/ownership/owners.ts';
import { listMappings } from '../ledger/ownership/rules.ts';
import { invalid } from '../platform/lib/errors.ts';
import { percentOf } from '../platform/lib/money.ts';
import { getOrganization } from '../tenancy/organizations/organizations.ts';
import { contextFor, namingOptions, orgOption, withApp, type CommonOptions } from './command.ts';
import { changePercentText, ownershipOption } from './costs.ts';
import { dollars, formatCount, printJson, printNote, printTable, signedDollars } from './output.ts';

type ShowbackOptions = CommonOptions & AskedShowback & { csv?: boolean };

export function addShowbackCommand(program: Command): void {
  program
    .command('showback')
    .description('show what each team or cost center spent in a month')
    .option('--month <month>', 'a month such as 2026-03; by default this one')
    .addOption(new Option('--by <kind>', 'kind of the owners').choices(ownerKinds).default('team'))
    .addOption(
      new Option('--metric <name>', 'list cost, or what is left after free runners and discounts')
        .choices(showbackMetrics)
        .default('cost'),
    )
    .addOption(ownershipOption)
    .option(...orgOption)
    .option('--json', 'print the data of GET /api/v1/showback')
    .addOption(new Option('--csv', 'print the answer as CSV').conflicts('json'))
    .action((options: ShowbackOptions) =>
      withApp(async (app) => {
        const { month } = options;
        if (month !== undefined && !/^(19|2\d)\d\d-(0[1-9]|1[0-2])$/.test(month))
          throw invalid('--month', 'must be a month such as 2026-03');
        const ctx = await contextFor(app, options.org);
        const { plan } = await getOrganization(ctx);
        const question = await namingOptions(async () => readShowback(options, { clock: ctx.clock, plan }));
        const showback = await getShowback({ ...ctx, log: app.log }, question);
        if (options.json) return printJson(showbackView(showback));
        if (options.csv) return void process.stdout.write(showbackCsv(showback));
        printShowback(showback);
        await explainNoOwners(ctx, showback);
      }),
    );
}

function capitals(name: string): string {
  return name.replace('_', ' ').toUpperCase();
}

function printShowback({ question, total, owners }: Showback): void {
  const { metric, window, previous, by } = question;
  const cells = (name: string, sums: Showback['total']) => [
    name,
    dollars(sums.cost),
    `${percentOf(sums.cost, total.cost).toFixed(1)}%`,
    formatCount(Number(sums.minutes)),
    formatCount(Number(sums.jobs)),
    dollars(sums.previousCost),
    signedDollars(sums.cost - sums.previousCost),
    changePercentText(sums.cost, sums.previousCost),
  ];
  printTable(
    [capitals(by), capitals(metric), 'SHARE', 'MINUTES', 'JOBS', 'BEFORE', 'CHANGE', '%'],
    [...owners.map((owner) => cells(nameOf(owner), owner)), cells('total', total)],
  );
  printNote(`${window.start} to ${window.end}, compared with ${previous.start} to ${previous.end}.`);
}

async function explainNoOwners({ db, actor }: Context, { question, owners }: Showback): Promise<void> {
  if (owners.some(({ owner }) => owner !== null)) return;
  const { by, window } = question;
  const kind = by.replace('_', ' ');
  const hasRules = (await listMappings(db, actor.orgId)).some((rule) => rule.kind === by);
  printNote(
    hasRules
      ? `No ${kind} has costs from ${window.start} to ${window.end}.`
      : `No ${kind} owns anything yet. \`ownership add\` maps repositories to owners.`,
  );
}
