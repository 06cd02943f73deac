import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import {
  dataOf,
  deletedOf,
  idParams,
  NullableName,
  nullableText,
  NullableTimestamp,
  readOnly,
  responses,
  Timestamp,
  words,
} from '../../platform/http/schemas.ts';
import { hasRole, roles, type Actor } from '../../platform/lib/actor.ts';
import {
  addMember,
  listMembers,
  removeMember,
  updateMember,
  type EndLinkSessions,
  type Member,
} from './members.ts';

const params = idParams('mem_5c1f0a9e7b3d4826f1a0');

const MemberSchema = Type.Object({
  id: Type.String({ examples: ['mem_5c1f0a9e7b3d4826f1a0'] }),
  email: Type.String({ examples: ['mona@acme.example'] }),
  name: nullableText('Mona'),
  role: words(roles),
  alert_emails: Type.Boolean({ description: 'whether this person gets alert emails' }),
  last_seen_at: {
    ...NullableTimestamp,
    description:
      'when this person last used a session or a personal token, accurate to about an hour; null if not recorded, and for roles below admin',
  },
  created_at: Timestamp,
  updated_at: Timestamp,
});

const readOnlyOfMember = {
  id: readOnly,
  last_seen_at: readOnly,
  created_at: readOnly,
  updated_at: readOnly,
};
const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  format: 'idn-email',
  examples: ['mona@acme.example'],
});
const memberSettings = {
  name: Type.Optional(NullableName),
  role: Type.Optional(words(roles)),
  alert_emails: Type.Optional(Type.Boolean()),
};

const NewMemberBody = Type.Object(
  { email: Email, ...memberSettings, ...readOnlyOfMember },
  {
    additionalProperties: false,
    examples: [{ email: 'mona@acme.example', name: 'Mona', role: 'admin', alert_emails: true }],
  },
);

const MemberChangesBody = Type.Object(
  { email: Type.Optional(Email), ...memberSettings, ...readOnlyOfMember },
  { additionalProperties: false, examples: [{ role: 'member', alert_emails: false }] },
);

const reader = { access: { scope: 'admin', role: 'viewer' } } as const;
const admin = { access: { scope: 'admin', role: 'admin' } } as const;

export function memberRoutes({
  endLinkSessions,
}: {
  endLinkSessions: EndLinkSessions;
}): FastifyPluginCallbackTypebox {
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
      async ({ ctx }) => ({
        data: (await listMembers(ctx)).map((member) => memberView(member, ctx.actor)),
      }),
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
        const member = await addMember(request.ctx, request.body);
        return reply.status(201).send({ data: memberView(member, request.ctx.actor) });
      },
    );

    server.put(
      '/members/:id',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Change a member',
          description: 'Changes the fields that you send. The last owner stays an owner.',
          params,
          body: MemberChangesBody,
          response: responses(200, dataOf(MemberSchema), [404, 409]),
        },
      },
      async ({ ctx, params: { id }, body }) => ({
        data: memberView(await updateMember(ctx, id, body), ctx.actor),
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
            "Ends the member's tokens and sessions, and all other sessions that sign-in links started.",
          params,
          response: responses(200, dataOf(deletedOf('mem_5c1f0a9e7b3d4826f1a0')), [404, 409]),
        },
      },
      async (request) => {
        const { id } = request.params;
        await removeMember(request.ctx, id, endLinkSessions);
        return { data: { id, deleted: true as const } };
      },
    );
    done();
  };
}

/** Only admins see when others were here, as in the lists of sessions and tokens. */
function memberView(
  { id, email, name, role, alertEmails, lastSeenAt, createdAt, updatedAt }: Member,
  actor: Actor,
) {
  const lastSeen = hasRole(actor.role, 'admin') ? lastSeenAt : null;
  return {
    id,
    email,
    name,
    role,
    alert_emails: alertEmails,
    last_seen_at: lastSeen,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}
