import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { dataOf, DeletedSchema, responses } from '../../platform/http/schemas.ts';
import { deleteOrganization, type DeletionProgram } from './deleteOrganization.ts';
import { getOrganization, type Organization, updateOrganization } from './organizations.ts';
import { DeleteOrganizationQuery, OrganizationChangesBody, OrganizationSchema } from './schema.ts';

const reader = { access: { scope: 'admin', role: 'viewer' } } as const;
const admin = { access: { scope: 'admin', role: 'admin' } } as const;
const owner = { access: { scope: 'admin', role: 'owner' } } as const;

/** The organization; `hasMail` says whether the server has a mail server. */
export function organizationRoutes(
  program: DeletionProgram,
  { hasMail }: { hasMail: boolean },
): FastifyPluginCallbackTypebox {
  const viewOf = (organization: Organization) => ({
    ...organizationView(organization),
    mail_configured: hasMail,
  });
  const contextOf = (request: FastifyRequest): Context & DeletionProgram => ({
    ...program,
    actor: request.actor,
  });

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

    server.delete(
      '/organization',
      {
        config: owner,
        schema: {
          tags,
          summary: 'Delete the organization',
          description:
            'With everything in it. From the answer on its tokens, sessions and sources are refused and nothing is sent any more; what is stored is removed in the background. It cannot be undone: to keep data, download exports first.',
          querystring: DeleteOrganizationQuery,
          response: responses(200, dataOf(DeletedSchema)),
        },
      },
      async (request) => {
        const ctx = contextOf(request);
        await deleteOrganization(ctx, request.query.confirm);
        return { data: { id: ctx.actor.orgId, deleted: true as const } };
      },
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
