import { type Command, Option } from 'commander';
import { commandLine } from '../config.ts';
import { getRetention, retentionStatus } from '../ledger/retention/retention.ts';
import { cliActor, type Role, roles, scopes } from '../platform/lib/actor.ts';
import { invalid } from '../platform/lib/errors.ts';
import { addMember } from '../tenancy/members/members.ts';
import { deleteOrganization, removeSome } from '../tenancy/organizations/deleteOrganization.ts';
import {
  calendarView,
  createOrganization,
  getOrganization,
  listOrganizations,
  retentionView,
  updateOrganization,
  weekStarts,
} from '../tenancy/organizations/organizations.ts';
import { createToken } from '../tenancy/tokens/tokens.ts';
import { contextFor, namingOptions, orgOption, readName, wholeNumber, withApp } from './command.ts';
import { saveAllData } from './export.ts';
import { formatCount, printJson, printNote, printTable } from './output.ts';

function addOrganizations(program: Command): void {
  const org = program.command('org').description('create, list, change and delete organizations');
  org
    .command('create')
    .description('create an organization and a token for its owner')
    .requiredOption('--name <name>', 'name of the organization', readName)
    .option('--login <login>', 'its name at the provider', readName)
    .option('--json', 'print {"org_id","token"} and nothing else')
    .action((options: { name: string; login?: string; json?: boolean }) =>
      withApp(
        async (app) => {
          const { name, login } = options;
          const orgId = await createOrganization(app, { name, ...(login ? { login } : {}) });
          const owner = { name: 'owner', role: 'owner', scopes } as const;
          const { text } = await createToken({ ...app, actor: cliActor(orgId) }, owner);
          if (options.json) return printJson({ org_id: orgId, token: text });
          console.log(`organization  ${orgId}\ntoken         ${text}`);
          printNote('The token is shown only once. It has all rights in this organization.');
        },
        { mayCreate: true },
      ),
    );
  org
    .command('list')
    .description('list all organizations')
    .option('--json', 'print a JSON array')
    .action((options: { json?: boolean }) =>
      withApp(async (app) => {
        const organizations = await listOrganizations(app);
        if (options.json) {
          return printJson(
            organizations.map(({ orgId, name, login, plan, createdAt }) => ({
              org_id: orgId,
              name,
              login,
              plan,
              created_at: createdAt,
            })),
          );
        }
        if (organizations.length === 0)
          return printNote(
            `No organization yet. Create one: ${commandLine(app.config)} org create --name NAME`,
          );
        printTable(
          ['ORGANIZATION', 'NAME', 'PLAN', 'CREATED'],
          organizations.map(({ orgId, name, plan, createdAt }) => [
            orgId,
            name,
            plan,
            createdAt.toISOString(),
          ]),
        );
      }),
    );
  addUpdate(org);
  addRetention(org);
  addDelete(org);
}

type UpdateOptions = {
  org?: string;
  name?: string;
  timeZone?: string;
  fiscalYearStart?: number;
  weekStart?: (typeof weekStarts)[number];
  runRetention?: number | 'none';
  json?: boolean;
};

function addUpdate(org: Command): void {
  org
    .command('update')
    .description('change the name of an organization, and how it reads times and periods')
    .option('--name <name>', 'its name', readName)
    .option('--time-zone <name>', 'IANA name, such as Europe/Berlin, of the times in the pages')
    .option('--fiscal-year-start <month>', 'first month of the fiscal year, 1 to 12', wholeNumber(1, 12))
    .addOption(new Option('--week-start <day>', 'first day of the week in the pages').choices(weekStarts))
    .option(
      '--run-retention <days>',
      'days for which runs and jobs are kept, 90 or more; none keeps them forever',
      retentionDays,
    )
    .option(...orgOption)
    .option('--json', 'print the settings as JSON')
    .action((options: UpdateOptions) =>
      withApp(async (app) => {
        const { name, timeZone, fiscalYearStart, weekStart, runRetention } = options;
        const changes = {
          ...(name !== undefined && { name }),
          ...(timeZone !== undefined && { time_zone: timeZone }),
          ...(fiscalYearStart !== undefined && { fiscal_year_start_month: fiscalYearStart }),
          ...(weekStart !== undefined && { week_start: weekStart }),
          ...(runRetention !== undefined && {
            run_retention_days: runRetention === 'none' ? null : runRetention,
          }),
        };
        const ctx = await contextFor(app, options.org);
        const changed = await namingOptions(() => updateOrganization(ctx, changes), {
          'body.time_zone': '--time-zone',
        });
        const { run_retention_days } = retentionView(changed.retention);
        const settings = { name: changed.name, ...calendarView(changed.calendar), run_retention_days };
        if (options.json) return printJson({ org_id: changed.orgId, ...settings });
        for (const [field, value] of Object.entries(settings))
          console.log(`${field.padEnd(24)}${value ?? 'forever'}`);
      }),
    );
}

/** The option parser drops null. */
function retentionDays(text: string): number | 'none' {
  return text === 'none' ? text : wholeNumber(90, 36_500)(text);
}

function addRetention(org: Command): void {
  org
    .command('retention')
    .description('show how long runs and jobs are kept, and how far their removal is')
    .option('--days <days>', 'count the runs that this setting would remove', wholeNumber(90, 36_500))
    .option(...orgOption)
    .option('--json', 'print it as JSON')
    .action((options: { org?: string; days?: number; json?: boolean }) =>
      withApp(async (app) => {
        const ctx = await contextFor(app, options.org);
        const found = await getRetention(ctx, app.config, { days: options.days });
        if (options.json) return printJson(retentionStatus(found));
        const { runRetentionDays, maxDays, days, detailsFrom, runsToRemove, isExported, removal } = found;
        const inDays = (number: number | null) => (number === null ? 'forever' : `${number} days`);
        const lines = {
          setting: inDays(runRetentionDays),
          RETENTION_DAYS: inDays(maxDays),
          'runs are kept': inDays(days),
          'first day with runs': detailsFrom ?? 'all days',
          'runs to remove': formatCount(runsToRemove),
          'exported first': isExported ? `to ${app.config.retentionExportDir}` : 'no',
          ...(removal && {
            'latest removal': `${removal.status}, ${formatCount(Number(removal.done))} of ${formatCount(Number(removal.total ?? 0n))} runs`,
          }),
          ...(removal?.error && { '': removal.error }),
        };
        for (const [name, value] of Object.entries(lines)) console.log(`${name.padEnd(24)}${value}`);
      }),
    );
}

type DeleteOptions = { org: string; confirm: string; export?: string; json?: boolean };

function addDelete(org: Command): void {
  org
    .command('delete')
    .description('delete an organization and all its data')
    .requiredOption('--org <id>', 'organization, as `org list` shows it')
    .requiredOption('--confirm <name>', 'its exact name')
    .option('--export <folder>', 'first write all its runs, jobs and costs to this folder, as CSV files')
    .option('--json', 'print {"org_id","deleted","files"} and nothing else')
    .addHelpText(
      'after',
      `
This cannot be undone. It is logged to standard error. If the export fails, nothing is deleted.
`,
    )
    .action((options: DeleteOptions) =>
      withApp(
        async (app) => {
          const ctx = { ...app, ...(await contextFor(app, options.org)) };
          const { name } = await getOrganization(ctx);
          if (options.confirm !== name) throw invalid('--confirm', `must be its name: ${name}`);
          const files = options.export === undefined ? [] : await saveAllData(app, ctx, options.export);
          if (!files) return printNote('Stopped; nothing was deleted.');
          await deleteOrganization(ctx, name);
          while (await removeSome(app));
          const { orgId } = ctx.actor;
          if (options.json) return printJson({ org_id: orgId, deleted: true, files });
          for (const file of files) console.log(file);
          printNote(`Deleted ${name} (${orgId}).`);
        },
        { logged: true },
      ),
    );
}

type AddOptions = {
  org?: string;
  email: string;
  name?: string;
  role: Role;
  alertEmails: boolean;
  json?: boolean;
};

function addMemberCommands(program: Command): void {
  const member = program.command('member').description('manage the members of an organization');
  member
    .command('add')
    .description('add a member')
    .requiredOption('--email <address>', 'email address')
    .option('--name <name>', 'name', readName)
    .addOption(new Option('--role <role>', 'role').choices(roles).default('member'))
    .option('--no-alert-emails', 'send no alert emails to this member')
    .option(...orgOption)
    .option('--json', 'print {"id"} and nothing else')
    .action((options: AddOptions) =>
      withApp(async (app) => {
        const { email, name, role, alertEmails } = options;
        const ctx = await contextFor(app, options.org);
        const input = { email, ...(name ? { name } : {}), role, alert_emails: alertEmails };
        const added = await namingOptions(() => addMember(ctx, input));
        if (options.json) return printJson({ id: added.id });
        printNote(`Added ${added.email} (${added.role}, ${added.id}).`);
      }),
    );
}

export function addOrganizationCommands(program: Command): void {
  addOrganizations(program);
  addMemberCommands(program);
}
