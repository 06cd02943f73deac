import { Option, type Command } from 'commander';
import { invitationSender } from '../outreach/notifications/email/invitation.ts';
import { roles, type Role } from '../platform/lib/actor.ts';
import { defaultValidDays, invite, maxValidDays } from '../tenancy/invitations/invitations.ts';
import { contextFor, namingOptions, orgOption, wholeNumber, withApp } from './command.ts';
import { printJson, printNote } from './output.ts';

type InviteOptions = {
  org?: string;
  email?: string;
  role: Role;
  days: number;
  link?: boolean;
  json?: boolean;
};

export function addInviteCommand(program: Command): void {
  program
    .command('invite')
    .description('invite a person by email, or print a link that makes one a member')
    .option('--email <address>', 'email address; without it, anyone with the link can use it')
    .addOption(new Option('--role <role>', 'role').choices(roles).default('member'))
    .option('--days <days>', 'days until it expires', wholeNumber(1, maxValidDays), defaultValidDays)
    .option('--link', 'print the link, even if a mail server is set')
    .option(...orgOption)
    .option('--json', 'print {"id","link","email_error"} and nothing else')
    .action((options: InviteOptions) =>
      withApp(async (app) => {
        const { email = null, role, days: validDays } = options;
        const sendInvitation = invitationSender(app.mailer);
        const byMail = email !== null && sendInvitation !== null && options.link !== true;
        const ctx = { ...app, ...(await contextFor(app, options.org)), sendInvitation };
        const asked = { email, role, validDays, byMail };
        const { invitation, link } = await namingOptions(() => invite(ctx, asked));
        const { id, expiresAt, mailError } = invitation;
        if (options.json) return printJson({ id, link, email_error: mailError });
        if (link !== null) console.log(link);
        if (mailError !== null)
          printNote(`The email could not be sent: ${mailError}. With --link, pass the link on yourself.`);
        else if (link === null) printNote(`Sent to ${email} (${role}, ${id}).`);
        else printNote(`It makes one person a ${role}, until ${expiresAt.toISOString()} (${id}).`);
      }),
    );
}
