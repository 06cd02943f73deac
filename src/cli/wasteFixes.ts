import { type Command, Option } from 'commander';
import type { App } from '../app.ts';
import { getOutcomes } from '../insight/waste/daily.ts';
import { decide, type Decision, reopen } from '../insight/waste/decisions.ts';
import { type Fix, monthlySaving, type Status, statuses } from '../insight/waste/fixes.ts';
import { decisionView, fixesView, listFixes } from '../insight/waste/fixesView.ts';
import { categories, type Category } from '../insight/waste/jobGroups.ts';
import { outcomeText } from '../insight/waste/outcome.ts';
import { leftOutText } from '../ledger/costs/unusualDays.ts';
import { getOrganization } from '../tenancy/organizations/organizations.ts';
import { type CommonOptions, contextFor, namingOptions, orgOption, wholeNumber, withApp } from './command.ts';
import { dollars, printJson, printLeftOut, printNote, printWrapped } from './output.ts';

type FixesOptions = CommonOptions & {
  days: number;
  repo?: string;
  workflow?: string;
  category?: Category;
  status?: Status;
  limit: number;
};

type DecisionOptions = CommonOptions & { reason?: string };

const maxLimit = 1_000;

export function addWasteFixes(waste: Command): void {
  waste
    .command('fixes')
    .description('list fixes by monthly saving, and what those marked as done saved')
    .option('--days <count>', 'days up to today, 1 to 90', wholeNumber(1, 90), 30)
    .option('--repo <name>', 'only this repository: owner/name or the bare name')
    .option('--workflow <id>', 'only this workflow: wf_…')
    .addOption(new Option('--category <name>', 'only fixes of this category').choices(categories))
    .addOption(new Option('--status <name>', 'only these; by default all').choices(statuses))
    .option('--limit <count>', 'fixes to show, 1 to 1,000', wholeNumber(1, maxLimit), 10)
    .option(...orgOption)
    .option('--json', 'print the data of GET /api/v1/waste/fixes')
    .action((options: FixesOptions) => withApp((app) => print(app, options)));
  const decision = (name: string, text: string) =>
    waste
      .command(name)
      .description(text)
      .argument('<fix>', 'as `waste fixes` shows it: wf_….superseded')
      .option(...orgOption);
  decision('done', 'mark a fix as done: its cost is compared from the next day on')
    .option('--reason <text>', 'what was changed')
    .option('--json', 'print the decision as JSON')
    .action((id: string, options: DecisionOptions) => decided(id, 'done', options));
  decision('dismiss', 'dismiss a fix, which then counts in no saving')
    .requiredOption('--reason <text>', 'why it stays, at most 500 characters')
    .option('--json', 'print the decision as JSON')
    .action((id: string, options: DecisionOptions) => decided(id, 'dismissed', options));
  decision('reopen', 'reopen a fix').action((id: string, { org }: CommonOptions) =>
    withApp(async (app) => {
      await reopen(await contextFor(app, org), id);
      printNote(`Reopened ${id}.`);
    }),
  );
}

function decided(
  id: string,
  status: Decision['status'],
  { reason, org, json }: DecisionOptions,
): Promise<void> {
  return withApp(async (app) => {
    const ctx = await contextFor(app, org);
    const row = await namingOptions(() => decide(ctx, id, { status, ...(reason ? { reason } : {}) }));
    if (json) return printJson(decisionView(row));
    printNote(`Marked ${id} as ${status}. To undo: waste reopen ${id}`);
  });
}

async function print(app: App, options: FixesOptions): Promise<void> {
  const { days, repo, workflow: workflowId, category, status, limit, org, json } = options;
  const own = await contextFor(app, org);
  const ctx = { ...own, plan: (await getOrganization(own)).plan };
  const found = await listFixes(ctx, { days, repo, workflowId, category });
  const listed = found.fixes.filter((fix) => status === undefined || fix.status === status);
  const shown = listed.slice(0, limit);
  const outcomes = await getOutcomes(ctx, shown);
  if (json) return printJson(fixesView(found, shown, outcomes));
  const { period } = found.waste;
  if (shown.length === 0) return printNote(`No matching fixes from ${period.start} to ${period.end}.`);
  console.log(`Save up to ${dollars(monthlySaving(found.fixes))} a month.\n`);
  for (const fix of shown) {
    printFix(fix);
    const outcome = outcomes.get(fix.id);
    if (outcome) printWrapped(outcomeText(outcome), 2);
    console.log();
  }
  const usual = found.fixes.some(({ leftOutDays }) => leftOutDays.length > 0) ? ' usual' : '';
  printNote(`${period.start} to ${period.end}. A month is 30${usual} days.`);
  printLeftOut(shown.length, listed.length, 'fixes', maxLimit);
}

function printFix(fix: Fix): void {
  const { id, workflow, category, status, monthlyNanos, suggestions, decision } = fix;
  const amount = status === 'open' ? `${dollars(monthlyNanos)} a month` : status;
  printWrapped(`${amount}  ${category}  ${workflow.repository} ${workflow.name}`, 0);
  console.log(`  ${id}`);
  if (decision) {
    const reason = decision.reason === null ? '' : `: ${decision.reason}`;
    printWrapped(`${decision.decidedAt.toISOString().slice(0, 10)} by ${decision.author}${reason}`, 2);
  }
  if (status !== 'open') return;
  for (const { text } of suggestions) printWrapped(text, 2);
  const leftOut = fix.savingNanos > 0n && leftOutText(fix.leftOutDays);
  if (leftOut) printWrapped(leftOut, 2);
}
