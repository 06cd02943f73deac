import { Type } from 'typebox';
import { idParams, nullable, nullableText, words } from '../../platform/http/schemas.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { sendTestChat } from './chat/send.ts';
import type { NotificationProgram, TestOutcome } from './context.ts';
import { sendTestEmail } from './email/send.ts';

const TestChatBody = Type.Object(
  {
    url: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2048, description: 'the saved one by default' }),
    ),
    format: Type.Optional(
      words(['slack', 'teams', 'discord', 'json'], {
        description: 'format of the messages; defaults to the saved one, otherwise slack',
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ url: 'https://chat.acme.example/hooks/ci', format: 'slack' }],
  },
);

const TestOutcomeSchema = Type.Object({
  delivered: Type.Boolean({ description: 'whether the receiver accepted the message' }),
  status_code: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'HTTP status of the chat; null for email or without a response',
  }),
  error: nullableText(
    'The chat answered 404. Check the address of the webhook.',
    'what went wrong, and how to fix it',
  ),
});

const access = { scope: 'admin', role: 'admin' } as const;

const verb = verbsWith<VerbContext & NotificationProgram>();

export const notificationVerbs = [
  verb({
    name: 'org chat test',
    at: 'POST /organization/chat-webhook/test',
    access,
    tag: 'Organization',
    title: 'Send a test message to the chat webhook',
    description:
      'Works before you save a chat webhook. Responds within ten seconds, with 200 even if the chat refuses the message.',
    body: nullable(TestChatBody),
    answer: TestOutcomeSchema,
    faults: [409],
    run: async (ctx, { body }) => outcomeView(await sendTestChat(ctx, body ?? {})),
  }),
  verb({
    name: 'member test-email',
    at: 'POST /members/:id/test-email',
    access,
    tag: 'Members',
    title: 'Send a test email to a member',
    description:
      'Responds with 200 even if the mail server refuses the email, and with 409 if no mail server is set (SMTP_URL).',
    params: idParams('mem_5c1f0a9e7b3d4826f1a0'),
    answer: TestOutcomeSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id } }) => outcomeView(await sendTestEmail(ctx, id)),
  }),
];

function outcomeView({ delivered, statusCode, error }: TestOutcome) {
  return { delivered, status_code: statusCode, error };
}
