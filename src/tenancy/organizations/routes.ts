import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Context } from '../../context.ts';
import {
  dataOf,
  DeletedSchema,
  Name,
  nullable,
  NullableName,
  NullableString,
  readOnly,
  responses,
  Timestamp,
  Uuid,
  words,
} from '../../platform/http/schemas.ts';
import { plans } from '../../platform/lib/actor.ts';
import { deleteOrganization, type DeletionProgram } from './deleteOrganization.ts';
import { getOrganization, updateOrganization, type Organization } from './organizations.ts';

const planWords = words(plans);
const chatFormats = words(['slack', 'teams', 'discord', 'json'], { description: 'form of the messages' });

const OrganizationSchema = Type.Object({
  org_id: Uuid,
  name: Type.String(),
  login: Type.Unsafe<string | null>({ ...NullableString, description: 'its name at the CI provider' }),
  plan: planWords,
  chat_webhook: Type.Unsafe<{ host: string; format: string } | null>({
    anyOf: [Type.Object({ host: Type.String(), format: chatFormats }), Type.Null()],
    description: 'where alerts are told in chat; the address itself is a secret and not shown',
  }),
  mail_configured: Type.Boolean({ description: 'whether this server can send mail (SMTP_URL)' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const ChatWebhookInput = Type.Object(
  {
    url: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2048, description: 'may be left out where one is set' }),
    ),
    format: Type.Optional(chatFormats),
    host: readOnly,
  },
  { additionalProperties: false },
);

const OrganizationChangesBody = Type.Object(
  {
    name: Type.Optional(Name),
    login: Type.Optional(NullableName),
    plan: Type.Optional(planWords),
    chat_webhook: Type.Optional(nullable(ChatWebhookInput)),
    org_id: readOnly,
    mail_configured: readOnly,
    created_at: readOnly,
    updated_at: readOnly,
  },
  { additionalProperties: false },
);

const DeleteOrganizationQuery = Type.Object({
  confirm: Type.String({ description: "the organization's name, letter by letter" }),
});

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
