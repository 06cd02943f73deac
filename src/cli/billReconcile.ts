import { dollars, signedDollars } from '../platform/lib/amountTexts.ts';
import { windowBetween } from '../platform/lib/days.ts';
import { compare } from '../platform/lib/lists.ts';
import { magnitude } from '../platform/lib/money.ts';
import { formatCount, printLeftOut, printNote, printTable } from './output.ts';
import type { Answer } from './session.ts';
import { dollarsOf, nanosOf } from './tables.ts';
import { maxRows, whole, type Options, type Tailored } from './verbCommand.ts';

const importHint =
  'Get the usage report from GitHub (Billing and licensing, Usage), then import it: `runcost bill import FILE`.';

const amounts = ['our_cost', 'bill_gross', 'bill_discount', 'bill_net', 'difference'];
const groupings = ['day', 'month', 'sku', 'repository'];

function cellsOf(sums: Answer, titles: ReadonlyMap<string, string>): string[] {
  const named = Object.entries<Answer>(sums.explained).filter(([, amount]) => nanosOf(amount) !== 0n);
  const causes = named.map(([cause, amount]) => `${titles.get(cause) ?? cause} ${dollarsOf(amount)}`);
  return [...amounts.map((name) => dollarsOf(sums[name])), causes.join(', '), dollarsOf(sums.unexplained)];
}

function print(found: Answer, { by }: Options): void {
  const { data: rows, totals, period, days_without_report: without, not_compared: others } = found;
  if (!period) return printNote("No report covers days within the plan's history. `bill import` adds one.");
  const { start, end, days } = windowBetween(period.start, period.end);
  if (without === days) {
    printNote(`No bill covers ${days === 1 ? start : `${start} to ${end}`} (UTC). ${importHint}`);
    return printUnbilled(found);
  }
  const names = groupings.filter((name) => by === name || (by === 'all' && name !== 'month'));
  const headings = ['OURS', 'GROSS', 'DISCOUNT', 'NET', 'DIFFERENCE', 'CAUSES', 'UNEXPLAINED'];
  const titles = new Map<string, string>(found.causes.map(({ cause, title }: Answer) => [cause, title]));
  printTable(
    [...names.map((name) => name.toUpperCase()), ...headings],
    [
      ...rows.map((row: Answer) => [...names.map((name) => row[name] || '(none)'), ...cellsOf(row, titles)]),
      [...names.map((_, index) => (index === 0 ? 'all' : '')), ...cellsOf(totals, titles)],
    ],
  );
  printLeftOut(rows.length, found.pagination.total, 'rows', maxRows);
  printNote(`Days compared: ${start} to ${end} (UTC).`);
  printNote(
    `Our net cost: ${dollarsOf(totals.our_net)}, ${signedDollars(nanosOf(totals.net_difference))} against the ` +
      `bill's; unexplained: ${dollarsOf(totals.net_unexplained)}.`,
  );
  if (isUnexplained(totals)) printNote(unexplainedHint);
  if (without > 0) printNote(`${without} of these days have no report and are left out.`);
  printUnbilled(found);
  if (others.length > 0) printOthers(others);
}

function printUnbilled({ not_billed: { minutes, cost } }: Answer): void {
  if (minutes > 0)
    printNote(`Not on the bill: ${formatCount(minutes)} minutes (${dollarsOf(cost)}) without a report.`);
}

const unexplainedHint =
  'More than 1% of the bill is unexplained. Check that your plan and discounts are set for these days (`price terms list`) and that ' +
  'labels have a price (`price unpriced`); `bill reconcile --by all` shows the days, SKUs and repositories.';

function isUnexplained({ net_unexplained: rest, bill_net: net }: Answer): boolean {
  return 100n * magnitude(nanosOf(rest)) > magnitude(nanosOf(net));
}

const maxOthers = 5;

function printOthers(others: Answer[]): void {
  const net = others.reduce((sum, other) => sum + nanosOf(other.net), 0n);
  printNote(`Also on the bill: ${dollars(net)} for storage and other products.`);
  const most = others
    .flatMap(({ kind, sku, repositories }) =>
      repositories.map(({ repository, net: amount }: Answer) => ({
        text: `${repository || '(none)'}: ${dollarsOf(amount)}, ${(kind === 'other' ? sku : kind).replaceAll('_', ' ').replace(/^ai /, 'AI ')}`,
        nanos: nanosOf(amount),
      })),
    )
    .toSorted((one, other) => compare(other.nanos, one.nanos));
  for (const { text } of most.slice(0, maxOthers)) printNote(`  ${text}`);
}

export const reconcileCommand: Tailored = {
  defaults: { by: 'repository' },
  limit: 30,
  json: whole,
  print,
  help: `DIFFERENCE is our cost minus the bill's net amount. It is the sum of CAUSES and UNEXPLAINED. Amounts are rounded to the cent;
--json has all digits.

Examples:
  runcost bill reconcile --from 2026-09-01 --to 2026-09-30
  runcost bill reconcile --by sku
  runcost bill reconcile --by all --repository api --limit 10`,
};
