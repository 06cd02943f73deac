import { percentText } from '../cli/groupTable.ts';
import { formatCount, printTable, printWrapped } from '../cli/output.ts';
import { maxWorkflows, type Amount, type Audit } from '../insight/audits/audit.ts';
import { leftOutText } from '../ledger/costs/unusualDays.ts';
import { gigabyte } from '../ledger/storage/byteHours.ts';
import { dollars } from '../platform/lib/amountTexts.ts';
import { addDays, longDay, type Day } from '../platform/lib/days.ts';
import { sumOf } from '../platform/lib/lists.ts';
import { percentOf, type Nanos } from '../platform/lib/money.ts';
import { capital, countOf } from '../platform/lib/text.ts';

const maxFixes = 5;

export function printAudit(audit: Audit): void {
  const { runs, unpriced } = audit;
  printRead(audit);
  if (runs.read === 0) return;
  printCost(audit);
  printWorkflows(audit);
  printWaste(audit);
  printStorage(audit);
  printPrices(audit);
  if (unpriced.jobs > 0) printUnpriced(audit);
}

function printRead({ target, repositories, period, runs, until }: Audit): void {
  const of = repositories.length === 1 ? '' : `, ${countOf(repositories.length, 'repository')}`;
  console.log(`${target}${of}, ${longDay(period.start)} to ${longDay(period.end)} (UTC)`);
  const { read, total: counted, readSince, stoppedBy } = runs;
  if (counted === 0) printWrapped(`No workflow runs in ${countOf(period.days, 'day')}.`, 0);
  else if (!stoppedBy) printWrapped(`Read all ${countOf(counted, 'run')}.`, 0);
  else {
    const since = readSince ? `, back to ${instant(readSince, until)}` : '';
    printWrapped(`Read ${formatCount(read)} of ${countOf(counted, 'run')}, newest first${since}.`, 0);
    printWrapped(stopText(stoppedBy), 0);
    if (readSince) printWrapped('The monthly figures assume that the rest of a month is like this.', 0);
  }
  for (const problem of runs.problems) printWrapped(problem, 0);
}

function stopText({ reason, message }: NonNullable<Audit['runs']['stoppedBy']>): string {
  if (reason === 'time') return 'The time is over. To read more: --max-minutes, or fewer --days.';
  if (reason === 'rate_limit') return `${message} A token has 5,000 an hour; without one it is 60.`;
  return message ?? 'GitHub could not be reached.';
}

function printCost(audit: Audit): void {
  const { list, net, period, runs, plan, includedMinutes } = audit;
  heading('Cost');
  const column = runs.readSince ? 'OF THESE RUNS' : countOf(period.days, 'day').toUpperCase();
  printTable(['', column, 'PER MONTH'], [amountRow('List', list), amountRow('Net', net)]);
  const free = 'Net takes off standard runners in public repositories, which are free';
  const minutes = plan
    ? `. Of a month, it also takes off the ${formatCount(Number(includedMinutes))} included minutes on GitHub ${capital(plan)}.`
    : ". It doesn't take off your plan's included minutes: --plan free, pro, team or enterprise does.";
  printWrapped(`${free}${minutes}`, 0);
}

function printWorkflows({ workflows, list }: Audit): void {
  heading(workflows.length < maxWorkflows ? 'Workflows' : `The ${maxWorkflows} most expensive workflows`);
  printTable(
    ['WORKFLOW', 'REPOSITORY', 'LIST', 'NET', 'SHARE', 'RUNS'],
    workflows.map(({ workflowName, repository, costNanos, netCostNanos, runs }) => [
      workflowName,
      repository,
      dollars(costNanos),
      dollars(netCostNanos),
      percentTextOf(costNanos, list),
      formatCount(Number(runs)),
    ]),
  );
}

function printWaste(audit: Audit): void {
  const { waste, saving, list, fixes } = audit;
  heading('Waste');
  console.log(
    `${dollars(waste.nanos)} of the list cost, ${percentTextOf(waste.nanos, list)}, bought nothing useful.`,
  );
  if (fixes.length === 0) return console.log('Nothing to change.');
  console.log(`These changes save up to ${dollars(saving.monthNanos)} a month at list prices:`);
  const worth = fixes.filter(({ savingNanos }) => savingNanos > 0n);
  for (const [index, fix] of worth.slice(0, maxFixes).entries()) printFix(index + 1, fix);
  if (worth.length > maxFixes) console.log(`\nAnd ${worth.length - maxFixes} smaller ones: --json has all.`);
}

function printFix(
  place: number,
  { workflow, suggestions, leftOutDays, saving }: Audit['fixes'][number],
): void {
  console.log();
  const amount = `${dollars(saving.monthNanos)} a month`;
  printWrapped(`${place}. ${amount}: ${workflow.repository}, ${workflow.name}`, 0);
  for (const { text, yaml, jobs, action } of suggestions) {
    printWrapped(text, 3);
    if (yaml === null) continue;
    const where = action === 'limit_time' ? `the job ${jobs.join(', ')}` : 'the workflow, at the top level';
    printWrapped(`Add to ${where}:`, 3);
    console.log(yaml.replaceAll(/^/gm, '     '));
  }
  const leftOut = leftOutText(leftOutDays);
  if (leftOut) printWrapped(leftOut, 3);
}

function printStorage({ storage: { repositories, priced, saving }, storageProblems }: Audit): void {
  if (repositories.length === 0 && storageProblems.length === 0) return;
  heading('Storage');
  for (const problem of storageProblems) printWrapped(problem, 0);
  if (repositories.length === 0) return;
  const kept = priced.filter(({ item }) => item.bytes > 0n);
  const bytes = kept.map(({ item }) => item.bytes).reduce((sum, each) => sum + each, 0n);
  const amount = `${dollars(sumOf(kept, 'paceNanos'))} a month at list prices, before what plans include`;
  printWrapped(`${gigabytesText(bytes)} in artifacts and caches: ${amount}.`, 0);
  if (kept.length === 0) return;
  printTable(
    ['WORKFLOW', 'NAME', 'KIND', 'COUNT', 'GB', 'A MONTH', 'DAYS'],
    kept
      .slice(0, maxFixes)
      .map(({ item, paceNanos }) => [
        item.workflow ?? (item.kind === 'cache' ? '' : 'not read'),
        item.name,
        item.kind,
        formatCount(item.items),
        gigabytesText(item.bytes).replace(' GB', ''),
        dollars(paceNanos),
        item.retentionDays === null ? '' : String(item.retentionDays),
      ]),
  );
  if (saving > 0n) console.log(`These changes save up to ${dollars(saving)} a month at list prices:`);
  for (const { item, fix } of kept.filter(({ fix: found }) => found).slice(0, maxFixes)) {
    console.log();
    printWrapped(`${dollars(fix!.savingNanos)} a month: ${item.repository}, ${item.name}`, 0);
    printWrapped(fix!.text, 3);
    console.log(fix!.yaml.trimEnd().replaceAll(/^/gm, '     '));
  }
}

function gigabytesText(bytes: bigint): string {
  return `${(Number(bytes) / Number(gigabyte)).toFixed(2)} GB`;
}

function printPrices({ prices }: Audit): void {
  const { earlier, latest, fee } = prices;
  const [before, after] = [earlier.nanos, latest.nanos];
  const firstDay = addDays(earlier.lastDay, 1);
  const isNewYear = firstDay.endsWith('-01-01');
  const dayText = (day: Day) => (isNewYear ? day.slice(0, 4) : longDay(day));
  heading("These jobs at GitHub's prices");
  const change = before === 0n ? '' : percentText(percentOf(after - before, before)).replace('-', '−');
  printTable(
    ['', 'LIST', 'PER MONTH', 'CHANGE'],
    [
      [...amountRow(`Until ${dayText(earlier.lastDay)}`, earlier), ''],
      [...amountRow(`From ${dayText(firstDay)}`, latest), after > before ? `+${change}` : change],
      ...(fee.nanos > 0n ? [[...amountRow('Fee for self-hosted runners, postponed', fee), '']] : []),
    ],
  );
}

function printUnpriced({ unpriced: { runners, jobs, minutes, total: kinds } }: Audit): void {
  heading('Unpriced');
  const what = `${countOf(jobs, 'job')} with ${countOf(minutes, 'minute')}`;
  printWrapped(`No price list has these labels. ${what} count as $0 above.`, 0);
  printTable(
    ['LABELS', 'JOBS', 'MINUTES'],
    runners.map(({ labels, runnerGroup, jobs: count, minutes: used }) => [
      [...labels, ...(runnerGroup === null ? [] : [`group ${runnerGroup}`])].join(', ') || 'no labels',
      formatCount(Number(count)),
      formatCount(Number(used)),
    ]),
  );
  if (kinds > runners.length) console.log(`And ${formatCount(kinds - runners.length)} more.`);
  const newer = runners.filter(({ hasNewLabel }) => hasNewLabel).map(({ labels }) => labels.join(', '));
  if (newer.length > 0)
    printWrapped(`Newer than this version of Runcost: ${newer.join('; ')}. Update it.`, 0);
}

function amountRow(name: string, { nanos, monthNanos }: Amount): string[] {
  return [name, dollars(nanos), dollars(monthNanos)];
}

const percentTextOf = (nanos: Nanos, whole: Amount): string => percentText(percentOf(nanos, whole.nanos));

function heading(text: string): void {
  console.log(`\n${text}`);
}

function instant(at: Date, now: Date): string {
  const isThisYear = at.getUTCFullYear() === now.getUTCFullYear();
  const year = isThisYear ? {} : ({ year: 'numeric' } as const);
  const options = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', ...year } as const;
  return `${new Intl.DateTimeFormat('en-US', { ...options, hourCycle: 'h23', timeZone: 'UTC' }).format(at)} UTC`;
}
