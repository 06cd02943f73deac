import type { Context, Program } from '../../context.ts';
import type { Verified } from '../../platform/http/authenticate.ts';
import { cliActor, scopes } from '../../platform/lib/actor.ts';
import { invalid, PublicError } from '../../platform/lib/errors.ts';
import { operatorPrefix } from '../../platform/lib/runningServers.ts';
import {
  createOrganization,
  getCostsVersion,
  isDemo,
  listOrganizations,
  type Organization,
} from '../organizations/organizations.ts';
import { createToken, hashSecret, secretMatches } from '../tokens/tokens.ts';

type ReadContext = Pick<Context, 'db'>;

/** Recognizes the operator: who can read this server's file in its data folder, and so may do everything. */
export function operatorVerifiers({ db, operatorToken }: ReadContext & { operatorToken: string }) {
  const hash = hashSecret(operatorToken);
  return {
    isOperator: (text: string): boolean => text.startsWith(operatorPrefix) && secretMatches(text, hash),
    verifyOperator: async (asked: string | null): Promise<Verified> => {
      const { orgId, plan } = await findOperated({ db }, asked);
      return { actor: cliActor(orgId), plan, costsVersion: await getCostsVersion(db, orgId) };
    },
  };
}

/** Creates an organization and its owner's token, which has all scopes. */
export async function createOwned(
  program: Program,
  organization: Parameters<typeof createOrganization>[1],
): Promise<{ orgId: string; token: string }> {
  const orgId = await createOrganization(program, organization);
  const owner = { name: 'owner', role: 'owner', scopes } as const;
  const { text } = await createToken({ ...program, actor: cliActor(orgId) }, owner);
  return { orgId, token: text };
}

/** The organization of an operator's request: the one it names, or else the only one besides the demo. Checks no access. */
export async function findOperated(ctx: ReadContext, asked: string | null): Promise<Organization> {
  const organizations = await listOrganizations(ctx);
  if (asked !== null) {
    const named = organizations.find(({ orgId }) => orgId === asked);
    if (named) return named;
    throw new PublicError('not_found', 'organization_not_found', `There is no organization ${asked}.`);
  }
  const own = organizations.filter((each) => !isDemo(each));
  const [only, ...others] = own.length > 0 ? own : organizations;
  if (!only) throw new PublicError('not_found', 'no_organization', 'There is no organization yet.');
  if (others.length > 0) throw invalid('org_id', 'is required: there are several organizations');
  return only;
}
