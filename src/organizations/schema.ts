import { Type } from 'typebox';
import { plans, roles } from '../lib/actor.ts';
import {
  Name,
  nullable,
  NullableName,
  NullableString,
  readOnly,
  Timestamp,
  Uuid,
  words,
} from '../http/schemas.ts';

const planWords = words(plans);
const chatFormats = words(['slack', 'teams', 'discord', 'json'], { description: 'form of the messages' });

export const OrganizationSchema = Type.Object({
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

export const OrganizationChangesBody = Type.Object(
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

export const MemberSchema = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: NullableString,
  role: words(roles),
  alert_emails: Type.Boolean({ description: 'whether alerts are mailed to this person' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const readOnlyOfMember = { id: readOnly, created_at: readOnly, updated_at: readOnly };
const Email = Type.String({ minLength: 3, maxLength: 254, format: 'idn-email' });
const memberSettings = {
  name: Type.Optional(NullableName),
  role: Type.Optional(words(roles)),
  alert_emails: Type.Optional(Type.Boolean()),
};

export const NewMemberBody = Type.Object(
  { email: Email, ...memberSettings, ...readOnlyOfMember },
  { additionalProperties: false },
);

export const MemberChangesBody = Type.Object(
  { email: Type.Optional(Email), ...memberSettings, ...readOnlyOfMember },
  { additionalProperties: false },
);

export const AuditEntrySchema = Type.Object({
  id: Uuid,
  created_at: Timestamp,
  actor: Type.String({ description: '`token tok_…`, `session of …`, `cli`, or `unsubscribe link`' }),
  action: Type.String({ examples: ['member.add'] }),
  target: Type.String({ description: 'id of what was changed' }),
  details: Type.Record(Type.String(), Type.Unknown()),
});

export const Deleted = Type.Object({ id: Type.String(), deleted: Type.Literal(true) });
