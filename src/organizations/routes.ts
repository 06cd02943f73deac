import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { pageAsked, paginationView } from '../http/pagination.ts';
import { dataOf, IdParams, pageOf, PageQuery, responses } from '../http/schemas.ts';
import { Type } from 'typebox';
import type { Context, EndLinkSessions, Program } from './context.ts';
import { getOrganization, type Organization } from './getOrganization.ts';
import { listAuditEntries } from './listAuditEntries.ts';
import { addMember, listMembers, removeMember, updateMember, type Member } from './members.ts';
import {
  AuditEntrySchema,
  Deleted,
  MemberChangesBody,
  MemberSchema,
  NewMemberBody,
  OrganizationChangesBody,
  OrganizationSchema,
} from './schema.ts';
import { updateOrganization } from './updateOrganization.ts';

const reader = { access: { scope: 'admin', role: 'viewer' } } as const;
const admin = { access: { scope: 'admin', role: 'admin' } } as const;

type OrganizationOptions = {
  /** Whether the server has a mail server. */
  hasMail: boolean;
  endLinkSessions: EndLinkSessions;
};

/** The organization, its members and its audit log. */
export function organizationRoutes(
  program: Program,
  { hasMail, endLinkSessions }: OrganizationOptions,
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

    server.get(
      '/audit-log',
      {
        config: admin,
        schema: {
          tags,
          summary: 'List who changed what',
          description: 'Newest first.',
          querystring: PageQuery,
          response: responses(200, pageOf(AuditEntrySchema)),
        },
      },
      async (request) => {
        const asked = pageAsked(request.query);
        const { entries, total } = await listAuditEntries(contextOf(request), asked);
        const data = entries.map(({ createdAt, details, id, actor, action, target }) => ({
          id,
          created_at: createdAt,
          actor,
          action,
          target,
          details: details as Record<string, unknown>,
        }));
        return { data, pagination: paginationView(asked, total) };
      },
    );
    server.register(memberRoutes(contextOf, endLinkSessions));
    done();
  };
}

function memberRoutes(
  contextOf: (request: FastifyRequest) => Context,
  endLinkSessions: EndLinkSessions,
): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    const tags = ['Members'];
    server.get(
      '/members',
      {
        config: reader,
        schema: {
          tags,
          summary: 'List the members',
          response: responses(200, dataOf(Type.Array(MemberSchema))),
        },
      },
      async (request) => ({ data: (await listMembers(contextOf(request))).map(memberView) }),
    );

    server.post(
      '/members',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Add a member',
          body: NewMemberBody,
          response: responses(201, dataOf(MemberSchema), [409]),
        },
      },
      async (request, reply) => {
        const member = await addMember(contextOf(request), request.body);
        return reply.status(201).send({ data: memberView(member) });
      },
    );

    server.put(
      '/members/:id',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Change a member',
          description: 'Changes the fields that are given. The last owner stays an owner.',
          params: IdParams,
          body: MemberChangesBody,
          response: responses(200, dataOf(MemberSchema), [404, 409]),
        },
      },
      async (request) => ({
        data: memberView(await updateMember(contextOf(request), request.params.id, request.body)),
      }),
    );

    server.delete(
      '/members/:id',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Remove a member',
          description:
            "The member's tokens and sessions end with it, and so do all other sessions that command-line links began.",
          params: IdParams,
          response: responses(200, dataOf(Deleted), [404, 409]),
        },
      },
      async (request) => {
        const { id } = request.params;
        await removeMember(contextOf(request), id, endLinkSessions);
        return { data: { id, deleted: true as const } };
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

function memberView({ id, email, name, role, alertEmails, createdAt, updatedAt }: Member) {
  return { id, email, name, role, alert_emails: alertEmails, created_at: createdAt, updated_at: updatedAt };
}
