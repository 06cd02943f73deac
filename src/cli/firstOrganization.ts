import { cliActor, scopes } from '../platform/lib/actor.ts';
import { createOrganization } from '../tenancy/organizations/organizations.ts';
import { createToken } from '../tenancy/tokens/tokens.ts';
import { withApp } from './command.ts';
import type { Answer } from './session.ts';

/** Creates an organization in the database of this machine, while no server runs. */
export async function createFirstOrganization(name: string, login: string | undefined): Promise<Answer> {
  let created: Answer;
  await withApp(
    async (app) => {
      const orgId = await createOrganization(app, { name, ...(login !== undefined && { login }) });
      const owner = { name: 'owner', role: 'owner', scopes } as const;
      const { text } = await createToken({ ...app, actor: cliActor(orgId) }, owner);
      created = { org_id: orgId, token: text };
    },
    { mayCreate: true },
  );
  return created;
}
