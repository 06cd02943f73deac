import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import { clientOf } from '../../platform/http/requests.ts';
import { dataOf, responses } from '../../platform/http/schemas.ts';
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

const tags = ['Session'];
const anybody = { access: { scope: null, role: 'viewer' } } as const;

export function ownOrganizationRoutes(program: Program): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/session/organizations',
      {
        config: anybody,
        schema: {
          tags,
          summary: 'List your organizations',
          description:
            'Lists the organization of the session or token first, then those with a member whose address this session has proven, by an emailed invitation or an identity provider. Signing in with a token proves no address.',
          response: responses(200, dataOf(Type.Array(OwnOrganizationSchema))),
        },
      },
      async (request) => {
        const own = await listOwnOrganizations(request.ctx, cookieOf(request));
        return { data: own.map((each) => ownOrganizationView(each, request.actor.orgId)) };
      },
    );

    server.post(
      '/session/organizations',
      {
        config: { ...anybody, needsSession: true },
        schema: {
          tags,
          summary: 'Enter one of your organizations',
          description:
            'After that, requests of this session with its `org_id` are for that organization, with the role of the member there. If the organization requires single sign-on, the response is 403 `single_sign_on_required`: sign in by its own provider.',
          body: EnterBody,
          response: responses(201, dataOf(OwnOrganizationSchema), [404, 409]),
        },
      },
      async (request, reply) => {
        const cookie = cookieOf(request);
        if (!cookie) throw noSession();
        const id = request.body.organization_id.toLowerCase();
        await enterOrganization(program, cookie, { organization: id, ...clientOf(request) });
        const own = (await listOwnOrganizations(request.ctx, cookie)).find((each) => each.id === id);
        if (!own) throw notFound('organization');
        return reply.status(201).send({ data: ownOrganizationView(own, request.actor.orgId) });
      },
    );
    done();
  };
}

/** The session of the cookie. The request may be for another organization. */
export function cookieOf({ credential: { kind, text } }: FastifyRequest): Cookie | null {
  const parts = kind === 'session' ? readSecret('session', text) : null;
  return parts && { orgId: parts.orgId, id: parts.id };
}

function ownOrganizationView(own: OwnOrganization, current: string) {
  return {
    id: own.id,
    name: own.name,
    login: own.login,
    address_name: own.addressName,
    role: own.role,
    is_current: own.id === current,
    is_entered: own.isEntered,
    single_sign_on_required: own.isProviderRequired,
  };
}
