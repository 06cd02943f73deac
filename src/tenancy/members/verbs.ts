import { Type } from 'typebox';
import {
  deletedOf,
  idParams,
  NullableName,
  nullableText,
  NullableTimestamp,
  readOnlyFields,
  Timestamp,
  words,
} from '../../platform/http/schemas.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { hasRole, roles, type Actor } from '../../platform/lib/actor.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import {
  addMember,
  listMembers,
  removeMember,
  updateMember,
  type EndLinkSessions,
  type Member,
} from './members.ts';

const params = idParams('mem_5c1f0a9e7b3d4826f1a0');

const AlertEmails = Type.Boolean({ description: 'whether this person gets alert emails' });

const MemberSchema = Type.Object({
  id: Type.String({ examples: ['mem_5c1f0a9e7b3d4826f1a0'] }),
  email: Type.String({ examples: ['mona@acme.example'] }),
  name: nullableText('Mona'),
  role: words(roles),
  alert_emails: AlertEmails,
  last_seen_at: {
    ...NullableTimestamp,
    description:
      'when this person last used a session or a personal token, accurate to about an hour; null if not recorded, and for roles below admin',
  },
  created_at: Timestamp,
  updated_at: Timestamp,
});

const readOnlyOfMember = readOnlyFields('id', 'last_seen_at', 'created_at', 'updated_at');
const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  format: 'idn-email',
  examples: ['mona@acme.example'],
});
const memberSettings = {
  name: Type.Optional(NullableName),
  role: Type.Optional(words(roles)),
  alert_emails: Type.Optional(AlertEmails),
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

const read = { tag: 'Members', access: { scope: 'admin', role: 'viewer' } } as const;
const write = { tag: 'Members', access: { scope: 'admin', role: 'admin' } } as const;

const verb = verbsWith<VerbContext & { endLinkSessions: EndLinkSessions }>();

export const memberVerbs = [
  verb({
    ...read,
    name: 'member list',
    at: 'GET /members',
    title: 'List the members',
    page: '/settings/members',
    answer: Type.Array(MemberSchema),
    run: async (ctx) => (await listMembers(ctx)).map((member) => memberView(member, ctx.actor)),
  }),
  verb({
    ...write,
    name: 'member add',
    at: 'POST /members',
    title: 'Add a member',
    body: NewMemberBody,
    status: 201,
    answer: MemberSchema,
    faults: [409],
    run: async (ctx, { body }) => memberView(await addMember(ctx, body), ctx.actor),
  }),
  verb({
    ...write,
    name: 'member update',
    at: 'PUT /members/:id',
    title: 'Change a member',
    description: 'Changes the fields that you send. The last owner stays an owner.',
    params,
    body: MemberChangesBody,
    answer: MemberSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id }, body }) => memberView(await updateMember(ctx, id, body), ctx.actor),
  }),
  verb({
    ...write,
    name: 'member remove',
    at: 'DELETE /members/:id',
    title: 'Remove a member',
    description: "Ends the member's tokens and sessions, and all other sessions that sign-in links started.",
    params,
    answer: deletedOf('mem_5c1f0a9e7b3d4826f1a0'),
    faults: [404, 409],
    run: async (ctx, { params: { id } }) => {
      await removeMember(ctx, id, ctx.endLinkSessions);
      return { id, deleted: true as const };
    },
  }),
];

/** Only admins see when others were here, as in the lists of sessions and tokens. */
function memberView(member: Member, actor: Actor) {
  const { unsubscribeSecret: _, ...shown } = member;
  return { ...apiFields(shown), last_seen_at: hasRole(actor.role, 'admin') ? member.lastSeenAt : null };
}
