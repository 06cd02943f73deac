import { percentOf } from '../platform/lib/money.ts';
import { percentText } from './groupTable.ts';
import { formatCount, printLeftOut, printNote, printTable, printWrapped } from './output.ts';
import type { Answer, Input } from './session.ts';
import { dollarsOf, nanosOf } from './tables.ts';
import { maxRows, type Options, type TailoredGroup } from './verbCommand.ts';

function printWaste({ data, pagination }: Answer, _options: Options, input: Input): void {
  const { period, workflows } = data;
  const { category, repo, workflow_id: id } = input as Record<string, string | undefined>;
  if (workflows.length === 0 && category === undefined)
    return printNote(
      `No completed jobs${repo || id ? ` of ${repo || id}` : ''} from ${period.start} to ${period.end}.`,
    );
  printCategories(data);
  if (workflows.length === 0) return printNote(`No workflow has waste in ${category}.`);
  printWorkflows(workflows, category);
  printSuggestions(workflows, category);
  printNote(`${period.start} to ${period.end}.`);
  printLeftOut(workflows.length, pagination.total, 'workflows', maxRows);
}

const percentTextOf = (part: Answer, whole: Answer): string =>
  percentText(percentOf(nanosOf(part), nanosOf(whole)));
const minutesOf = (minutes: number): string => formatCount(Math.round(minutes));

function printCategories({ categories, total_cost: total, ...data }: Answer): void {
  const line = (name: string, cost: Answer, minutes: number, jobs = '') => [
    name,
    dollarsOf(cost),
    percentTextOf(cost, total),
    minutesOf(minutes),
    jobs,
  ];
  printTable(
    ['CATEGORY', 'COST', 'SHARE', 'MINUTES', 'JOBS'],
    [
      ...(categories as Answer[]).map(({ category, cost, minutes, jobs }) =>
        line(category, cost, minutes, formatCount(jobs)),
      ),
      line('useful', data.useful_cost, data.useful_minutes),
      line('total', total, data.total_minutes),
    ],
  );
  const waited = Math.round(
    (categories as Answer[]).reduce((sum, { waited_minutes: minutes }) => sum + minutes, 0),
  );
  if (waited > 0) printNote(`Jobs that never ran waited ${formatCount(waited)} minutes. That cost nothing.`);
  console.log();
}

function printWorkflows(workflows: Answer[], category: string | undefined): void {
  printTable(
    [
      'WORKFLOW',
      'REPOSITORY',
      'COST',
      category?.toUpperCase() ?? 'WASTE',
      'SHARE',
      ...(category ? ['JOBS'] : []),
    ],
    workflows.map(({ name, repository, cost, waste_cost: waste, categories }) => {
      const only = categories.find((each: Answer) => each.category === category);
      const wasted = only?.cost ?? waste;
      // A job can have waste in several categories, so jobs are counted only for a single category.
      const jobs = only ? [formatCount(only.jobs)] : [];
      return [name, repository, dollarsOf(cost), dollarsOf(wasted), percentTextOf(wasted, cost), ...jobs];
    }),
  );
}

function printSuggestions(workflows: Answer[], against: string | undefined): void {
  const suggestions = workflows
    .flatMap(({ name, repository, suggestions: own }) =>
      (own as Answer[]).map((each) => ({ ...each, workflow: `${repository} ${name}` })),
    )
    .filter(({ category }) => against === undefined || category === against)
    .toSorted((a, b) => Number(nanosOf(b.saving) - nanosOf(a.saving)));
  for (const { saving, workflow, text } of suggestions) {
    console.log();
    printWrapped(`Save up to ${dollarsOf(saving)}: ${workflow}`, 0);
    printWrapped(text, 2);
  }
}

function printFixes({ data, pagination }: Answer): void {
  const { period, fixes, saving_per_month: saving, left_out_days: leftOut, past_savings: past } = data;
  if (fixes.length === 0) return printNote(`No matching fixes from ${period.start} to ${period.end}.`);
  console.log(`Save up to ${dollarsOf(saving)} a month.\n`);
  for (const fix of fixes) {
    printFix(fix);
    console.log();
  }
  if (past)
    printNote(
      `Done fixes promised ${dollarsOf(past.promised_per_month)} a month, and saved ${dollarsOf(past.saved_per_month)}.`,
    );
  printNote(`${period.start} to ${period.end}. A month is 30${leftOut.length > 0 ? ' usual' : ''} days.`);
  printLeftOut(fixes.length, pagination.total, 'fixes', maxRows);
}

function printFix({ id, workflow, repository, category, status, decision, outcome, ...fix }: Answer): void {
  const amount = status === 'open' ? `${dollarsOf(fix.saving_per_month)} a month` : status;
  printWrapped(`${amount}  ${category}  ${repository} ${workflow}`, 0);
  console.log(`  ${id}`);
  if (decision) {
    const reason = decision.reason === null ? '' : `: ${decision.reason}`;
    printWrapped(`${decision.decided_at.slice(0, 10)} by ${decision.author}${reason}`, 2);
  }
  const texts = status === 'open' ? fix.suggestions.map(({ text }: Answer) => text) : [];
  if (status === 'open' && fix.left_out_days.length > 0 && nanosOf(fix.saving) > 0n)
    texts.push(`Leaves out days marked unusual: ${fix.left_out_days.join(', ')}.`);
  if (outcome) texts.push(outcome.sentence);
  if (status === 'open' && fix.evidence)
    texts.push(`Runs to look at: ${fix.evidence.newest.map((run: Answer) => run.id).join(', ')}.`);
  for (const text of texts) printWrapped(text, 2);
}

const scopeOptions = { workflow_id: 'workflow' };
const decision = (status: 'done' | 'dismissed') => ({
  options: { id: 'fix' },
  only: ['id', 'reason'],
  read: (input: Input): Input => ({ ...input, status }),
  print: (_answer: Answer, _options: Options, { id }: Input) =>
    printNote(`Marked ${id as string} as ${status}. To undo: waste reopen ${id as string}`),
});

export const wasteCommands: TailoredGroup = {
  'waste get': {
    words: 'waste',
    options: scopeOptions,
    limit: 10,
    json: ({ data }) => data,
    print: printWaste,
    help: `
Examples:
  runcost waste --days 7
  runcost waste --repo acme/api --limit 3
  runcost waste --json | jq '.workflows[].suggestions[].text'
  runcost waste fixes --status open
  runcost waste dismiss wf_….superseded --reason 'Each commit of main must be tested'`,
  },
  'waste fix list': {
    words: 'waste fixes',
    title: 'list fixes by monthly saving, and what those marked as done saved',
    options: scopeOptions,
    limit: 10,
    print: printFixes,
  },
  'waste fix decide': {
    ...decision('done'),
    words: 'waste done',
    title: 'mark a fix as done: its cost is compared from the next day on',
  },
  'waste dismiss': {
    ...decision('dismissed'),
    verb: 'waste fix decide',
    title: 'dismiss a fix, which then counts in no saving',
  },
  'waste fix reopen': {
    words: 'waste reopen',
    options: { id: 'fix' },
    print: ({ id }) => printNote(`Reopened ${id}.`),
  },
  'waste trend get': {
    words: 'waste trend',
    title: 'show waste by week',
    options: scopeOptions,
  },
  'waste run list': { words: 'waste runs', options: scopeOptions },
};
