import { access, constants, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { App } from '../app.ts';
import type { Context } from '../context.ts';
import { type Cause, causes } from '../insight/bills/cells.ts';
import { importReport } from '../insight/bills/importReport.ts';
import { type DateOrder, dateOrders } from '../insight/bills/readLine.ts';
import { reconcile } from '../insight/bills/reconcile.ts';
import {
  deleteReport,
  getReport,
  type Imported,
  importView,
  listReports,
  type Report,
  reportView,
} from '../insight/bills/reports.ts';
import {
  type Grouping,
  groupings,
  type Reconciliation,
  reconciliationView,
  type Row,
  type Sums,
} from '../insight/bills/rows.ts';
import { invalid, PublicError } from '../platform/lib/errors.ts';
import { formatNanos, type Nanos } from '../platform/lib/money.ts';
import { reportedName } from '../platform/lib/text.ts';
import { getOrganization } from '../tenancy/organizations/organizations.ts';
import { contextFor, orgOption, withApp } from './openApp.ts';
import { namingOptions } from './options.ts';
import { printError, printJson, printNote, printTable } from './output.ts';
import { formatCount, type Progress, startProgress } from './progress.ts';

export function addBillCommands(program: Command): void {
  const bill = program
    .command('bill')
    .description("import GitHub's usage reports and compare them with our costs");
  addImport(bill);
  addList(bill);
  addDelete(bill);
  addReconcile(bill);
}

type Options = { org?: string; json?: boolean };

function addImport(bill: Command): void {
  bill
    .command('import')
    .description('import usage reports, as CSV files; the same file twice is one report')
    .argument('<file...>', 'CSV files from GitHub: Billing and licensing, Usage, Get usage report')
    .option(...orgOption)
    .addOption(
      new Option(
        '--date-order <order>',
        'how dates such as 03/04/2026 are read, month/day or day/month; needed if a file does not show it',
      ).choices(dateOrders),
    )
    .option('--json', 'print a JSON array of the reports')
    .addHelpText('after', importHelp)
    .action((files: string[], options: Options & { dateOrder?: DateOrder }) =>
      withApp('bill import', async (app) => {
        const ctx = await contextFor(app, options.org);
        const imported: { report: Report; by: Imported }[] = [];
        for (const file of files) {
          try {
            imported.push(await importFile(app, ctx, file, options.dateOrder));
          } catch (error) {
            if (!(error instanceof PublicError)) throw error;
            // The other files are none the worse for it.
            printError(error);
            process.exitCode = 1;
          }
        }
        if (imported.some(({ report }) => report.linesSkipped > 0)) process.exitCode = 1;
        if (options.json) return printJson(imported.map(({ report, by }) => importView(report, by)));
        printReports(imported.map(({ report }) => report));
        for (const { report } of imported) noteLines(report);
      }),
    );
}

const importHelp = `
Ends with 0 if every line of every file was imported, and with 1 if a line was skipped or a file was refused.

Examples:
  runcost bill import usageReport_*.csv
  runcost bill import --date-order dmy saved.csv
`;

async function importFile(
  app: App,
  ctx: Context,
  file: string,
  dateOrder: DateOrder | undefined,
): Promise<{ report: Report; by: Imported }> {
  const size = await sizeOf(file);
  printNote(plain(file));
  const kilobytes = (bytes: number) => Math.ceil(bytes / 1_000);
  let progress = null as Progress | null;
  try {
    // Not before its lines are stored: a first look at a large file is many times as fast.
    const onProgress = (bytes: number): void => {
      progress ??= startProgress(kilobytes(size), app.clock, process.stderr, 'kB');
      progress.report(kilobytes(bytes));
    };
    const name = reportedName(basename(file)).slice(0, 255);
    const by = await namingOptions(() => importReport(ctx, { path: file, name }, { dateOrder, onProgress }), {
      'query.date_order': '--date-order',
    });
    noteChange(by);
    return { report: await getReport(ctx, by.report.id), by };
  } finally {
    progress?.end();
  }
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => null);
  if (found && !found.isFile())
    throw invalid('file', `${file} is ${found.isDirectory() ? 'a folder' : 'no file'}: name the CSV files`);
  const isReadable = await access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
  if (!found || !isReadable) throw invalid('file', `${file} cannot be read`);
  return found.size;
}

function noteChange({ report, isNew, replaced }: Imported): void {
  if (!isNew) {
    printNote(
      `It was imported before, and does not become the latest report again; nothing is counted twice. For that: ` +
        `\`bill delete ${report.id}\`, then import it again.`,
    );
  }
  for (const { id, fileName, days } of replaced) {
    printNote(
      `It replaces ${formatCount(days)} ${days === 1 ? 'day' : 'days'} of report ${id} (${plain(fileName)}).`,
    );
  }
}

/** Without characters that a terminal would obey. */
function plain(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ');
}

function printReports(reports: readonly Report[]): void {
  if (reports.length === 0) return;
  printTable(
    ['REPORT', 'FILE', 'FORMAT', 'FROM', 'TO', 'LINES', 'KEPT', 'SKIPPED', 'GROSS', 'NET'],
    reports.map((report) => [
      ...[report.id, report.fileName, report.format, report.firstDay ?? '', report.lastDay ?? ''],
      ...[report.linesRead, report.linesKept, report.linesSkipped].map(formatCount),
      ...(['grossNanos', 'netNanos'] as const).map((name) =>
        dollars(report.products.reduce((sum, product) => sum + product[name], 0n)),
      ),
    ]),
  );
}

const mostNoted = 20;

function noteLines(report: Report): void {
  const bad = report.badLines as { line: number; reason: string }[];
  for (const { line, reason } of bad.slice(0, mostNoted)) {
    printNote(`${report.fileName}, line ${line} ${plain(reason)}`);
  }
  const more = report.linesSkipped - Math.min(bad.length, mostNoted);
  if (more > 0) printNote(`and ${formatCount(more)} more lines that were skipped`);
  if (report.dateOrder !== null) {
    printNote(
      `${report.fileName}: dates were read as ${report.dateOrder === 'mdy' ? 'month/day' : 'day/month'}.`,
    );
  }
  if (report.linesRounded > 0) {
    printNote(`${formatCount(report.linesRounded)} lines had more than nine decimals and were rounded.`);
  }
}

function addList(bill: Command): void {
  bill
    .command('list')
    .description('list the imported reports, the latest first')
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: Options) =>
      withApp('bill list', async (app) => {
        const { reports } = await listReports(await contextFor(app, options.org), { page: 1, perPage: 100 });
        if (options.json) return printJson(reports.map(reportView));
        if (reports.length === 0)
          return printNote('There are no reports yet: import one with `bill import`.');
        printReports(reports);
      }),
    );
}

function addDelete(bill: Command): void {
  bill
    .command('delete')
    .description('delete an imported report; days that it alone covers have no bill any more')
    .argument('<id>', 'id of the report, as `bill list` shows it')
    .option(...orgOption)
    .action((id: string, options: Options) =>
      withApp('bill delete', async (app) => {
        await deleteReport(await contextFor(app, options.org), id);
        printNote('The report has been deleted.');
      }),
    );
}

type ReconcileOptions = Options & {
  from?: string;
  to?: string;
  by: Grouping;
  sku?: string;
  repository?: string;
  limit: number;
};

const help = `
DIFFERENCE is our cost without the bill's net amount; CAUSES add up to it, what is left is unexplained.

Examples:
  runcost bill reconcile --from 2026-09-01 --to 2026-09-30
  runcost bill reconcile --by sku
  runcost bill reconcile --by all --repository api --limit 10
`;

function addReconcile(bill: Command): void {
  bill
    .command('reconcile')
    .description('compare our costs with the imported reports, and explain the differences')
    .option('--from <day>', 'first UTC day, YYYY-MM-DD; without it the first that a report covers', dayOf)
    .option('--to <day>', 'last UTC day; without it the last that a report covers', dayOf)
    .addOption(
      new Option('--by <what>', 'what rows are made of; all: each SKU of each repository on each day')
        .choices(groupings)
        .default('repository'),
    )
    .option('--sku <name>', 'one SKU only, such as linux_4_core or actions_linux')
    .option('--repository <text>', 'repositories with this in their names only')
    .option('--limit <count>', 'rows shown, 1 to 10,000, the largest differences first', limitOf, 30)
    .option(...orgOption)
    .option('--json', 'print what GET /api/v1/bills/reconciliation gives')
    .addHelpText('after', help)
    .action((options: ReconcileOptions) =>
      withApp('bill reconcile', async (app) => {
        const ctx = await contextFor(app, options.org);
        const { plan } = await getOrganization(ctx);
        const { from, to, by, sku, repository } = options;
        const asked = { from, to, by, sku, repository };
        const found = await namingOptions(() => reconcile({ ...ctx, plan }, asked));
        if (options.json) return printJson(reconciliationView(found, { page: 1, perPage: options.limit }));
        printReconciliation(found, options);
      }),
    );
}

function printReconciliation(found: Reconciliation, { by, limit }: ReconcileOptions): void {
  const { rows, totals, period } = found;
  if (!period)
    return printNote('There is no imported report of days that the plan shows: `bill import` adds one.');
  const names = (['day', 'sku', 'repository'] as const).filter((name) => by === 'all' || by === name);
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
  if (rows.length > limit) printNote(`${formatCount(rows.length - limit)} more rows: --limit shows them.`);
  printNote(`${period.start} to ${period.end} (UTC)`);
  if (found.daysWithoutReport > 0)
    printNote(`${found.daysWithoutReport} days of it are in no report, and not compared.`);
  const { minutes, costNanos } = found.uncovered;
  if (minutes > 0n) {
    printNote(
      `Not on the bill: ${formatCount(Number(minutes))} minutes for ${dollars(costNanos)} that no report covers.`,
    );
  }
  if (found.otherProducts.length > 0) {
    const net = found.otherProducts.reduce((sum, { netNanos }) => sum + netNanos, 0n);
    printNote(`Not compared: ${dollars(net)} for storage and other products.`);
  }
}

function nameOf(row: Row, name: 'day' | 'sku' | 'repository'): string {
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
  unnamed_repository: 'no repository',
  before_connected: 'before Runcost',
  missing_deliveries: 'not delivered',
  rounding: 'rounding',
};

function causesText({ parts }: Sums): string {
  const named = causes.filter((cause) => parts[cause] !== 0n);
  return named.map((cause) => `${words[cause]} ${dollars(parts[cause])}`).join(', ');
}

/** All digits: what adds up exactly should be seen to. */
function dollars(nanos: Nanos): string {
  return nanos < 0n ? `-$${formatNanos(-nanos)}` : `$${formatNanos(nanos)}`;
}

function dayOf(text: string): string {
  const instant = /^20\d\d-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  if (instant && !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text)) return text;
  throw new InvalidArgumentError('It must be a day such as 2026-01-31, from 2000 to 2099.');
}

function limitOf(text: string): number {
  const count = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= 10_000) return count;
  throw new InvalidArgumentError('It must be a whole number from 1 to 10,000.');
}
