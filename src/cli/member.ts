import { Option, type Command } from 'commander';
import { roles, type Role } from '../platform/lib/actor.ts';
import { addMember } from '../tenancy/members/members.ts';
import { contextFor, orgOption, withApp } from './openApp.ts';
import { namingOptions, readName } from './options.ts';
import { printJson, printNote } from './output.ts';

type AddOptions = {
  org?: string;
  email: string;
  name?: string;
  role: Role;
  alertEmails: boolean;
  json?: boolean;
};

export function addMemberCommands(program: Command): void {
  const member = program.command('member').description('people of an organization');
  member
    .command('add')
    .description('add a person')
    .requiredOption('--email <address>', 'email address')
    .option('--name <name>', 'name', readName)
    .addOption(new Option('--role <role>', 'role').choices(roles).default('member'))
    .option('--no-alert-emails', 'mail no alerts to this person')
    .option(...orgOption)
    .option('--json', 'print {"id"} and nothing else')
    .action((options: AddOptions) =>
      withApp('member add', async (app) => {
        const { email, name, role, alertEmails } = options;
        const ctx = await contextFor(app, options.org);
        const input = { email, ...(name ? { name } : {}), role, alert_emails: alertEmails };
        const added = await namingOptions(() => addMember(ctx, input));
        if (options.json) return printJson({ id: added.id });
        printNote(`${added.email} is a member now (${added.role}, ${added.id}).`);
      }),
    );
}
