import { access, constants, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import type { App } from '../app.ts';
import type { Context } from '../context.ts';
import { importReport } from '../insight/bills/importReport.ts';
import { type DateOrder, dateOrders } from '../insight/bills/readLine.ts';
import {
  deleteReport,
  getReport,
  type Imported,
  importView,
  listReports,
  type Report,
  reportView,
} from '../insight/bills/reports.ts';
import { invalid, PublicError } from '../platform/lib/errors.ts';
import { reportedName } from '../platform/lib/text.ts';
import { addReconcile } from './billReconcile.ts';
import {
  type CommonOptions,
  contextFor,
  limitOption,
  type ListOptions,
  maxListed,
  namingOptions,
  orgOption,
  withApp,
} from './command.ts';
import { type Progress, startProgress } from './follow.ts';
import {
  dollars,
  formatCount,
  printError,
  printJson,
  printLeftOut,
  printNote,
  printTable,
} from './output.ts';

export function addBillCommands(program: Command): void {
  const bill = program
    .command('bill')
    .description('import bill reports from GitHub and compare them with recorded costs');
  addImport(bill);
  addList(bill);
  addDelete(bill);
  addReconcile(bill);
}

function addImport(bill: Command): void {
  bill
    .command('import')
    .description('import bill reports from CSV files; the same file twice is one report')
    .argument('<file...>', 'CSV files from GitHub: Billing and licensing, Usage, Get usage report')
    .option(...orgOption)
    .addOption(
      new Option(
        '--date-order <order>',
        'how to read dates such as 03/04/2026: month/day or day/month; required if a file does not show ' +
          'it',
      ).choices(dateOrders),
    )
    .option('--json', 'print a JSON array of the reports')
    .addHelpText('after', importHelp)
    .action((files: string[], options: CommonOptions & { dateOrder?: DateOrder }) =>
      withApp(async (app) => {
        const ctx = await contextFor(app, options.org);
        const imported: { report: Report; by: Imported }[] = [];
        for (const file of files) {
          try {
            imported.push(await importFile(app, ctx, file, options.dateOrder));
          } catch (error) {
            if (!(error instanceof PublicError)) throw error;
            printError(error);
            process.exitCode = 1;
          }
        }
        if (imported.some(({ report }) => report.linesSkipped > 0)) process.exitCode = 1;
        if (options.json) return printJson(imported.map(({ report, by }) => importView(report, by)));
        printReports(imported.map(({ report }) => report));
        for (const { report } of imported) printLines(report);
      }),
    );
}

const importHelp = `
Exits with 0 if every line was imported, and with 1 if a line was skipped or a file was refused.

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
  printNote(file);
  const kilobytes = (bytes: number) => Math.ceil(bytes / 1_000);
  let progress = null as Progress | null;
  try {
    // Not for the first pass over the file, which is many times faster.
    const onProgress = (bytes: number): void => {
      progress ??= startProgress(kilobytes(size), app.clock, process.stderr, 'kB');
      progress.report(kilobytes(bytes));
    };
    const name = reportedName(basename(file)).slice(0, 255);
    const by = await namingOptions(() => importReport(ctx, { path: file, name }, { dateOrder, onProgress }), {
      date_order: '--date-order',
    });
    printChange(by);
    return { report: await getReport(ctx, by.report.id), by };
  } finally {
    progress?.end();
  }
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => null);
  if (found && !found.isFile())
    throw invalid(
      'file',
      `${file} is ${found.isDirectory() ? 'a folder' : 'not a file'}: give the CSV files`,
    );
  const isReadable = await access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
  if (!found || !isReadable) throw invalid('file', `${file} cannot be read`);
  return found.size;
}

function printChange({ report, isNew, replaced }: Imported): void {
  if (!isNew) {
    printNote(
      'This file was imported before, so nothing changes. To make it the latest report again: `bill ' +
        `delete ${report.id}\`, then import it again.`,
    );
  }
  for (const { id, fileName, days } of replaced) {
    printNote(
      `It replaces ${formatCount(days)} ${days === 1 ? 'day' : 'days'} of report ${id} (${fileName}).`,
    );
  }
}

function printReports(reports: readonly Report[]): void {
  if (reports.length === 0) return;
  printTable(
    ['REPORT', 'FILE', 'FORMAT', 'FROM', 'TO', 'LINES', 'KEPT', 'SKIPPED', 'GROSS', 'NET'],
    reports.map((report) => [
      report.id,
      report.fileName,
      report.format,
      report.firstDay ?? '',
      report.lastDay ?? '',
      ...[report.linesRead, report.linesKept, report.linesSkipped].map(formatCount),
      ...(['grossNanos', 'netNanos'] as const).map((name) =>
        dollars(report.products.reduce((sum, product) => sum + product[name], 0n)),
      ),
    ]),
  );
}

const maxPrinted = 20;

function printLines(report: Report): void {
  const bad = report.badLines as { line: number; reason: string }[];
  for (const { line, reason } of bad.slice(0, maxPrinted)) {
    printNote(`${report.fileName}, line ${line} ${reason}`);
  }
  const more = report.linesSkipped - Math.min(bad.length, maxPrinted);
  if (more > 0) printNote(`and ${formatCount(more)} more skipped lines`);
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
    .description('list the imported reports, latest first')
    .option(...limitOption('reports'))
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: ListOptions) =>
      withApp(async (app) => {
        const page = { page: 1, perPage: options.limit };
        const { reports, total } = await listReports(await contextFor(app, options.org), page);
        if (options.json) return printJson(reports.map(reportView));
        if (reports.length === 0) return printNote('No reports yet. Import one with `bill import`.');
        printReports(reports);
        printLeftOut(reports.length, total, 'reports', maxListed);
      }),
    );
}

function addDelete(bill: Command): void {
  bill
    .command('delete')
    .description('delete an imported report; days that only it covers have no bill afterwards')
    .argument('<id>', 'id of the report, as `bill list` shows it')
    .option(...orgOption)
    .action((id: string, options: CommonOptions) =>
      withApp(async (app) => {
        await deleteReport(await contextFor(app, options.org), id);
        printNote('Deleted the report.');
      }),
    );
}
