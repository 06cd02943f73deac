import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Cause, causes } from '../insight/bills/cells.ts';
import { reconcile } from '../insight/bills/reconcile.ts';
import {
  type Grouping,
  groupings,
  mostExpensive,
  type OtherProduct,
  type Reconciliation,
  reconciliationView,
  type Row,
  type Sums,
} from '../insight/bills/rows.ts';
import { billedProduct } from '../insight/bills/skus.ts';
import { compare } from '../platform/lib/lists.ts';
import { getOrganization } from '../tenancy/organizations/organizations.ts';
import { type CommonOptions, contextFor, namingOptions, orgOption, wholeNumber, withApp } from './command.ts';
import {
  dollars,
  formatCount,
  printJson,
  printLeftOut,
  printNote,
  printTable,
  signedDollars,
} from './output.ts';

type ReconcileOptions = CommonOptions & {
  from?: string;
  to?: string;
  by: Grouping;
  sku?: string;
  repository?: string;
  limit: number;
};

const help = `
DIFFERENCE is our cost minus the bill's net amount. It is the sum of CAUSES and UNEXPLAINED. Amounts are rounded to the cent;
--json has all digits.

Examples:
  runcost bill reconcile --from 2026-09-01 --to 2026-09-30
  runcost bill reconcile --by sku
  runcost bill reconcile --by all --repository api --limit 10
`;

const maxLimit = 10_000;

const importHint =
  'Get the usage report from GitHub (Billing and licensing, Usage), then import it: `runcost bill import FILE`.';

export function addReconcile(bill: Command): void {
  bill
    .command('reconcile')
    .description('compare recorded costs with the imported reports and explain the differences')
    .option(
      '--from <day>',
      'first UTC day, YYYY-MM-DD; by default the first that a report covers, at most 366 days back (93 with --by all)',
      dayOf,
    )
    .option('--to <day>', 'last UTC day; by default the last that a report covers; never after today', dayOf)
    .addOption(
      new Option('--by <what>', 'what a row is; all: each SKU of each repository on each day')
        .choices(groupings)
        .default('repository'),
    )
    .option('--sku <name>', 'only this SKU, such as linux_4_core or actions_linux')
    .option('--repository <text>', 'only repositories with this text in their names')
    .option(
      '--limit <count>',
      'rows to show, 1 to 10,000, largest differences first',
      wholeNumber(1, maxLimit),
      30,
    )
    .option(...orgOption)
    .option('--json', 'print the answer of GET /api/v1/bills/reconciliation')
    .addHelpText('after', help)
    .action((options: ReconcileOptions) =>
      withApp(async (app) => {
        const ctx = await contextFor(app, options.org);
        const { plan } = await getOrganization(ctx);
        const { from, to, by, sku, repository } = options;
        const asked = { from, to, by, sku, repository };
        const found = await namingOptions(() => reconcile({ ...ctx, log: app.log, plan }, asked));
        if (options.json) return printJson(reconciliationView(found, { page: 1, perPage: options.limit }));
        printReconciliation(found, options);
      }),
    );
}

function printReconciliation(found: Reconciliation, { by, from, limit }: ReconcileOptions): void {
  const { rows, totals, period } = found;
  if (!period) return printNote("No report covers days within the plan's history. `bill import` adds one.");
  if (found.daysWithoutReport === period.days) {
    const days = period.days === 1 ? period.start : `${period.start} to ${period.end}`;
    printNote(`No bill covers ${days} (UTC). ${importHint}`);
    return printUncovered(found);
  }
  const names = (['day', 'month', 'sku', 'repository'] as const).filter(
    (name) => by === name || (by === 'all' && name !== 'month'),
  );
  printTable(
    [
      ...names.map((name) => name.toUpperCase()),
      'OURS',
      'GROSS',
      'DISCOUNT',
      'NET',
      'DIFFERENCE',
      'CAUSES',
      'UNEXPLAINED',
    ],
    [
      ...rows.slice(0, limit).map((row) => [...names.map((name) => nameOf(row, name)), ...cellsOf(row)]),
      [...names.map((_, index) => (index === 0 ? 'all' : '')), ...cellsOf(totals)],
    ],
  );
  printLeftOut(Math.min(limit, rows.length), rows.length, 'rows', maxLimit);
  printNote(`Days compared: ${period.start} to ${period.end} (UTC).`);
  printNote(
    `Our net cost: ${dollars(totals.ourNetNanos)}, ${signedDollars(totals.ourNetNanos - totals.billNetNanos)} against the ` +
      `bill's; unexplained: ${dollars(totals.netUnexplainedNanos)}.`,
  );
  if (from === undefined && found.firstBilledDay! < period.start) {
    printNote(`The reports begin on ${found.firstBilledDay}. To compare earlier days: --from and --to.`);
  }
  if (found.daysWithoutReport > 0)
    printNote(`${found.daysWithoutReport} of these days have no report and are not compared.`);
  printUncovered(found);
  if (found.otherProducts.length > 0) {
    const net = found.otherProducts.reduce((sum, { netNanos }) => sum + netNanos, 0n);
    printNote(`Not compared: ${dollars(net)} for storage and other products.`);
    const most = found.otherProducts
      .flatMap((other) => mostExpensive(other).map(([name, nanos]) => ({ name, nanos, other })))
      .toSorted((a, b) => compare(b.nanos, a.nanos));
    for (const { name, nanos, other } of most.slice(0, maxOthers))
      printNote(`  ${name || '(none)'}: ${dollars(nanos)}, ${nameOfProduct(other)}`);
  }
}

const maxOthers = 5;

function nameOfProduct(other: OtherProduct): string {
  const product = billedProduct(other);
  return (product === 'other' ? other.sku : product).replaceAll('_', ' ');
}

function printUncovered({ uncovered: { minutes, costNanos } }: Reconciliation): void {
  if (minutes === 0n) return;
  const recorded = `${formatCount(Number(minutes))} minutes (${dollars(costNanos)})`;
  printNote(`Not on the bill: ${recorded} without a report.`);
}

function nameOf(row: Row, name: 'day' | 'month' | 'sku' | 'repository'): string {
  return row[name] || '(none)';
}

function cellsOf(sums: Sums): string[] {
  const { ourCostNanos, billGrossNanos, billDiscountNanos, billNetNanos, differenceNanos } = sums;
  const amounts = [ourCostNanos, billGrossNanos, billDiscountNanos, billNetNanos, differenceNanos].map(
    dollars,
  );
  return [...amounts, causesText(sums), dollars(sums.unexplainedNanos)];
}

const words: Record<Cause, string> = {
  public_repository: 'public',
  included_minutes: 'included',
  other_discount: 'discount',
  price_list: 'price',
  unpriced_label: 'unpriced',
  other_runner: 'other runner',
  own_rate: 'own rate',
  day_shift: 'next day',
  renamed_repository: 'renamed',
  unnamed_repository: 'no repository',
  before_connected: 'before Runcost',
  missing_deliveries: 'not delivered',
  rounding: 'rounding',
};

function causesText({ parts }: Sums): string {
  const named = causes.filter((cause) => parts[cause] !== 0n);
  return named.map((cause) => `${words[cause]} ${dollars(parts[cause])}`).join(', ');
}

function dayOf(text: string): string {
  const instant = /^20\d\d-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  if (instant && !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text)) return text;
  throw new InvalidArgumentError('It must be a day such as 2026-01-31, from 2000 to 2099.');
}
