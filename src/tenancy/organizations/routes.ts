import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { Context, Program } from '../../context.ts';
import { dataOf, responses } from '../../platform/http/schemas.ts';
import { getOrganization, type Organization } from './getOrganization.ts';
import { OrganizationChangesBody, OrganizationSchema } from './schema.ts';
import { updateOrganization } from './updateOrganization.ts';

const reader = { access: { scope: 'admin', role: 'viewer' } } as const;
const admin = { access: { scope: 'admin', role: 'admin' } } as const;

/** The organization; `hasMail` says whether the server has a mail server. */
export function organizationRoutes(
  program: Program,
  { hasMail }: { hasMail: boolean },
): FastifyPluginCallbackTypebox {
  const viewOf = (organization: Organization) => ({
    ...organizationView(organization),
    mail_configured: hasMail,
  });
  const contextOf = (request: FastifyRequest): Context => ({ ...program, actor: request.actor });

  return (server, _options, done) => {
    const tags = ['Organization'];
    server.get(
      '/organization',
      {
        config: reader,
        schema: {
          tags,
          summary: 'Get the organization',
          response: responses(200, dataOf(OrganizationSchema)),
        },
      },
      async (request) => ({ data: viewOf(await getOrganization(contextOf(request))) }),
    );

    server.put(
      '/organization',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Change the organization',
          description: 'Changes the fields that are given. Only an owner may change the plan.',
          body: OrganizationChangesBody,
          response: responses(200, dataOf(OrganizationSchema)),
        },
      },
      async (request) => ({
        data: viewOf(await updateOrganization(contextOf(request), request.body)),
      }),
    );
    done();
  };
}

function organizationView(organization: Organization) {
  const { orgId, name, login, plan, chatWebhook, createdAt, updatedAt } = organization;
  return {
    org_id: orgId,
    name,
    login,
    plan,
    chat_webhook: chatWebhook,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}
