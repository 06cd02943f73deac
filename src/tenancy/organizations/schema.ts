import { Type } from 'typebox';
import {
  Name,
  nullable,
  NullableName,
  NullableString,
  readOnly,
  Timestamp,
  Uuid,
  words,
} from '../../platform/http/schemas.ts';
import { plans } from '../../platform/lib/actor.ts';

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

export const DeleteOrganizationQuery = Type.Object({
  confirm: Type.String({ description: "the organization's name, letter by letter" }),
});
