import { Type } from 'typebox';
import { clientOf } from '../../platform/http/requests.ts';
import { verb, type Http } from '../../platform/http/verbs.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { notFound } from '../../platform/lib/errors.ts';
import { readSecret } from '../tokens/tokens.ts';
import {
  enterOrganization,
  listOwnOrganizations,
  type Cookie,
  type OwnOrganization,
} from './organizations.ts';
import { EnterBody, OwnOrganizationSchema } from './schema.ts';
import { noSession } from './sessions.ts';

export const anybody = {
  tag: 'Session',
  access: { scope: null, role: 'viewer' },
  isNeverStored: true,
} as const;

export const ownOrganizationVerbs = [
  verb({
    ...anybody,
    name: 'session org list',
    at: 'GET /session/organizations',
    title: 'List your organizations',
    description:
      'Lists the organization of the session or token first, then those with a member whose address this session has proven, by an emailed invitation or an identity provider. Signing in with a token proves no address.',
    answer: Type.Array(OwnOrganizationSchema),
    run: async (ctx, _input, { request }) => {
      const own = await listOwnOrganizations(ctx, cookieOf(request));
      return own.map((each) => ownOrganizationView(each, ctx.actor.orgId));
    },
  }),
  verb({
    ...anybody,
    name: 'session org enter',
    at: 'POST /session/organizations',
    config: { needsSession: true },
    title: 'Enter one of your organizations',
    description:
      'After that, requests of this session with its `org_id` are for that organization, with the role of the member there. If the organization requires single sign-on, the response is 403 `single_sign_on_required`: sign in by its own provider.',
    body: EnterBody,
    status: 201,
    answer: OwnOrganizationSchema,
    faults: [404, 409],
    run: async (ctx, { body }, { request }) => {
      const cookie = cookieOf(request);
      if (!cookie) throw noSession();
      const id = body.organization_id.toLowerCase();
      await enterOrganization(ctx, cookie, { organization: id, ...clientOf(request) });
      const own = (await listOwnOrganizations(ctx, cookie)).find((each) => each.id === id);
      if (!own) throw notFound('organization');
      return ownOrganizationView(own, ctx.actor.orgId);
    },
  }),
];

/** The session of the cookie. The request may be for another organization. */
export function cookieOf({ credential: { kind, text } }: Http['request']): Cookie | null {
  const parts = kind === 'session' ? readSecret('session', text) : null;
  return parts && { orgId: parts.orgId, id: parts.id };
}

function ownOrganizationView(own: OwnOrganization, current: string) {
  return {
    ...apiFields(own),
    is_current: own.id === current,
    single_sign_on_required: own.isProviderRequired,
  };
}
