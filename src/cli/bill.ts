import { basename } from 'node:path';
import { Option, type Command } from 'commander';
import { operationOf } from '../operations.ts';
import { dollars } from '../platform/lib/amountTexts.ts';
import { reportedName } from '../platform/lib/text.ts';
import { reconcileCommand } from './billReconcile.ts';
import { CommandError } from './faults.ts';
import { follow } from './follow.ts';
import { formatCount, printError, printJson, printNote, printTable } from './output.ts';
import { sendFile } from './sendFile.ts';
import { openSession, type Answer, type Input, type Session } from './session.ts';
import { dollarsOf, nanosOf, printRows } from './tables.ts';
import type { TargetOptions } from './target.ts';
import { addTargetOptions, type TailoredGroup } from './verbCommand.ts';

const fetchGet = 'bill fetch get';

async function fetchBill(session: Session, input: Input): Promise<Answer> {
  const { id } = await session.call('bill fetch start', input);
  const unit = 'requests';
  return follow(session, { get: fetchGet, input: { id }, unit, noteOf: waitText });
}

function waitText({ waiting }: Answer): string {
  if (!waiting) return '';
  const { message, until } = waiting;
  return `${message ?? "GitHub's request limit is used up"}: waiting until ${until}.`;
}

const billFetchCommands: TailoredGroup = {
  'bill account list': { empty: 'No bill accounts yet. Connect one with `bill account create`.' },
  'bill account create': {
    options: { source_id: 'source' },
    print: ({ id, login }) => {
      console.log(id);
      printNote(`The bill of ${login} is fetched now, and every night. To watch: \`bill fetch\`.`);
    },
    help: 'Example:\n  runcost bill account create --login acme',
  },
  'bill fetch start': {
    words: 'bill fetch',
    title: 'fetch the bill of an account from GitHub now',
    options: { account_id: 'account' },
    run: fetchBill,
    print: ({ status, months }: Answer) =>
      console.log(`${status === 'done' ? 'Fetched' : 'Canceled'} ${months.at(-1)} to ${months[0]}.`),
    help: `
Without --account, there must be only one. \`bill account list\` shows the accounts, and why the last fetch failed.

Examples:
  runcost bill fetch
  runcost bill fetch --account bac_3f9a1c7e5b2d8046e1c4`,
  },
  'bill fetch list': { empty: 'No fetches yet. Connect an account with `bill account create`.' },
};

export const billCommands: TailoredGroup = {
  'bill list': { empty: 'No reports yet. Import one with `bill import`.' },
  'bill reconcile': reconcileCommand,
  'bill month list': {
    print: printMonths,
    help: `AVERAGE is GB-hours divided by the hours of the month.

Examples:
  runcost bill month list --from 2026-11-01`,
  },
  ...billFetchCommands,
};

/** Each month, then its products with their repositories. */
function printMonths(months: Answer): void {
  if (months.length === 0)
    return printNote("No report covers days within the plan's history. `bill import` adds one.");
  const cellsOf = ({ gross, net, average_gigabytes: size }: Answer) => [
    ...[gross, net].map(dollarsOf),
    size === null ? '' : `${Number(size).toFixed(1)} GB`,
  ];
  printTable(
    ['MONTH', 'PRODUCT', 'REPOSITORY', 'GROSS', 'NET', 'AVERAGE'],
    months.flatMap(({ month, products, bill_net: net }: Answer) => [
      [month, 'all', 'all', dollars(grossOf(products)), dollarsOf(net), ''],
      ...products.flatMap(({ product, repositories, ...sums }: Answer) => [
        [month, product, 'all', ...cellsOf(sums)],
        ...repositories.map((each: Answer) => [
          month,
          product,
          each.repository || '(none)',
          ...cellsOf(each),
        ]),
      ]),
    ]),
  );
}

function grossOf(products: Answer[]): bigint {
  return products.reduce((sum, { gross }) => sum + nanosOf(gross), 0n);
}

const help = `
Exits with 0 if every line was imported, and with 1 if a line was skipped or a file was refused.

Examples:
  runcost bill import usageReport_*.csv
  runcost bill import --date-order dmy saved.csv`;

export function addBillImport(program: Command): void {
  const command = program
    .command('bill')
    .command('import')
    .description('import bill reports from CSV files; the same file twice is one report')
    .argument('<file...>', 'CSV files from GitHub: Billing and licensing, Usage, Get usage report')
    .addOption(
      new Option(
        '--date-order <order>',
        'how to read dates such as 03/04/2026: month/day or day/month; required if a file does not show it',
      ).choices(['mdy', 'dmy']),
    )
    .option('--json', 'print a JSON array of the reports');
  addTargetOptions(command).addHelpText('after', help).action(importFiles);
}

async function importFiles(
  files: string[],
  { dateOrder, json, ...target }: TargetOptions & { dateOrder?: string; json?: boolean },
): Promise<void> {
  const session = openSession(target);
  const reports: Answer[] = [];
  for (const file of files) {
    printNote(file);
    // Other programs count on a name without control characters.
    const query = { file_name: reportedName(basename(file)).slice(0, 255), date_order: dateOrder };
    try {
      const report = await sendFile(session, { method: 'POST', path: '/bills/reports', query, file });
      printChange(report);
      reports.push(report);
    } catch (error) {
      const isOfFile = error instanceof CommandError && ['usage', 'fault'].includes(error.kind);
      if (!isOfFile) throw error;
      printError(new CommandError(error.message.replace(/^body /, 'The file '), error.kind));
      process.exitCode = 1;
    }
  }
  if (reports.some(({ lines }) => lines.skipped > 0)) process.exitCode = 1;
  if (json) return printJson(reports);
  if (reports.length > 0) printRows(operationOf('bill list').list!.columns, reports);
  reports.forEach(printLines);
}

function printChange({ id, is_new: isNew, replaces }: Answer): void {
  if (!isNew)
    printNote(
      'This file was imported before, so nothing changes. To make it the latest report again: `bill ' +
        `delete ${id}\`, then import it again.`,
    );
  for (const { id: replaced, file_name: name, days } of replaces)
    printNote(
      `It replaces ${formatCount(days)} ${days === 1 ? 'day' : 'days'} of report ${replaced} (${name}).`,
    );
}

const maxPrinted = 20;

function printLines({ file_name: name, bad_lines: bad, lines, date_order: order }: Answer): void {
  const shown: Answer[] = bad.slice(0, maxPrinted);
  for (const { line, reason } of shown) printNote(`${name}, line ${line} ${reason}`);
  const more = lines.skipped - shown.length;
  if (more > 0) printNote(`and ${formatCount(more)} more skipped lines`);
  if (order !== null)
    printNote(`${name}: dates were read as ${order === 'mdy' ? 'month/day' : 'day/month'}.`);
  if (lines.rounded > 0)
    printNote(`${formatCount(lines.rounded)} lines had more than nine decimals and were rounded.`);
}
