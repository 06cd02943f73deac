import { CommandError } from '../cli/faults.ts';
import { printNote } from '../cli/output.ts';
import type { Answer, CallOptions, Input, Session } from '../cli/session.ts';
import type { TailoredGroup } from '../cli/verbCommand.ts';

async function create(open: () => Session, { name, login }: Input, call: CallOptions): Promise<Answer> {
  let session: Session;
  try {
    session = open();
  } catch (error) {
    if (!(error instanceof CommandError) || error.kind !== 'away') throw error;
    // Without a server, only the machine's own database can get its first organization.
    const { createOrganization } = await import('./withoutServer.ts');
    return createOrganization(name as string, login as string | undefined);
  }
  return session.call('org create', { name, login }, call);
}

export const organizationCommands: TailoredGroup = {
  'org create': {
    title: 'create an organization and a token for its owner',
    without: ['org_id'],
    runAnywhere: create,
    print: ({ org_id: orgId, token }) => {
      console.log(`organization  ${orgId}\ntoken         ${token}`);
      printNote('The token is shown only once. It has all rights in this organization.');
    },
  },
};
