import { Option, type Command } from 'commander';
import {
  getWaste,
  ofCategory,
  type Waste,
  type WorkflowSplit,
  type WorkflowWaste,
} from '../insight/waste/getWaste.ts';
import { categories, sumOf, type Category, type Share } from '../insight/waste/jobGroups.ts';
import { wasteView } from '../insight/waste/views.ts';
import { compare } from '../platform/lib/lists.ts';
import { percentOf } from '../platform/lib/money.ts';
import { getOrganization } from '../tenancy/organizations/organizations.ts';
import { contextFor, orgOption, wholeNumber, withApp } from './command.ts';
import {
  dollars,
  formatCount,
  printJson,
  printLeftOut,
  printNote,
  printTable,
  printWrapped,
} from './output.ts';
import { addWasteFixes } from './wasteFixes.ts';

type WasteOptions = {
  days: number;
  repo?: string;
  workflow?: string;
  category?: Category;
  limit: number;
  org?: string;
  json?: boolean;
};

const maxLimit = 1_000;

export function addWasteCommand(program: Command): void {
  const command = program
    .command('waste')
    .description('show waste by workflow, and what to change')
    .option('--days <count>', 'days up to today, 1 to 90', wholeNumber(1, 90), 30)
    .option('--repo <name>', 'only this repository: owner/name or the bare name')
    .option('--workflow <id>', 'only this workflow: wf_…')
    .addOption(
      new Option('--category <name>', 'workflows with this category, most waste first').choices(categories),
    )
    .option(
      '--limit <count>',
      'workflows to show, 1 to 1,000, most waste first',
      wholeNumber(1, maxLimit),
      10,
    )
    .option(...orgOption)
    .option('--json', 'print the data of GET /api/v1/waste')
    .addHelpText('after', help)
    .action((options: WasteOptions) =>
      withApp(async (app) => {
        const ctx = await contextFor(app, options.org);
        const { plan } = await getOrganization(ctx);
        const { days, repo, workflow: workflowId, category, limit } = options;
        const listed = (workflows: WorkflowSplit[]) =>
          category ? ofCategory(workflows, category) : workflows;
        const waste = await getWaste({ ...ctx, plan }, { days, repo, workflowId }, (workflows) =>
          listed(workflows).slice(0, limit),
        );
        if (options.json) return printJson(wasteView(waste));
        if (waste.workflows.length === 0) return printNothing(waste, repo ?? workflowId);
        printCategories(waste);
        printWorkflows(waste, { category, listed: listed(waste.workflows).length });
      }),
    );
  addWasteFixes(command);
}

const help = `
Examples:
  runcost waste --days 7
  runcost waste --repo acme/api --limit 3
  runcost waste --json | jq '.workflows[].suggestions[].text'
  runcost waste fixes --status open
  runcost waste dismiss wf_….superseded --reason 'Each commit of main must be tested'
`;

function printNothing({ period }: Waste, of: string | undefined): void {
  const where = of === undefined ? '' : ` of ${of}`;
  printNote(`No completed jobs${where} from ${period.start} to ${period.end}.`);
}

function printCategories({ split }: Waste): void {
  const total = sumOf(split, 'all').costNanos;
  const line = (name: string, { costNanos, ms, jobs }: Share) => [
    name,
    dollars(costNanos),
    `${percentOf(costNanos, total).toFixed(1)}%`,
    formatCount(Math.round(Number(ms) / 6e4)),
    formatCount(Number(jobs)),
  ];
  printTable(
    ['CATEGORY', 'COST', 'SHARE', 'MINUTES', 'JOBS'],
    [
      ...categories.map((category) => line(category, split[category])),
      line('useful', split.useful),
      [...line('total', sumOf(split, 'all')).slice(0, 4), ''],
    ],
  );
  const waited = Math.round(Number(split.skipped_after_queueing.waitedMs) / 60_000);
  if (waited > 0) printNote(`Jobs that never ran waited ${formatCount(waited)} minutes. That cost nothing.`);
  console.log();
}

function printWorkflows(
  { period, shown }: Waste,
  { category, listed }: { category: Category | undefined; listed: number },
): void {
  if (listed === 0) return printNote(`No workflow has waste in ${category}.`);
  printTable(
    [
      'WORKFLOW',
      'REPOSITORY',
      'COST',
      ...(category ? [category.toUpperCase(), 'SHARE', 'JOBS'] : ['WASTE', 'SHARE']),
    ],
    shown.map(({ name, repository, split }) => {
      const cost = sumOf(split, 'all').costNanos;
      const waste = (category ? split[category] : sumOf(split, 'waste')).costNanos;
      const share = `${percentOf(waste, cost).toFixed(1)}%`;
      // A job can have waste in several categories, so jobs are counted only for a single category.
      const jobs = category ? [formatCount(Number(split[category].jobs))] : [];
      return [name, repository, dollars(cost), dollars(waste), share, ...jobs];
    }),
  );
  printSuggestions(shown, category);
  printNote(`${period.start} to ${period.end}.`);
  printLeftOut(shown.length, listed, 'workflows', maxLimit);
}

function printSuggestions(workflows: readonly WorkflowWaste[], against: Category | undefined): void {
  const suggestions = workflows
    .flatMap(({ name, repository, suggestions: own }) =>
      own.map((suggestion) => ({ ...suggestion, workflow: `${repository} ${name}` })),
    )
    .filter(({ category }) => against === undefined || category === against)
    .toSorted((a, b) => compare(b.savingNanos, a.savingNanos));
  for (const { savingNanos, workflow, text } of suggestions) {
    console.log();
    printWrapped(`Save up to ${dollars(savingNanos)}: ${workflow}`, 0);
    printWrapped(text, 2);
  }
}
