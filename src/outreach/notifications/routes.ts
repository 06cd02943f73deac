import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { dataOf, IdParams, nullable, NullableString, responses, words } from '../../platform/http/schemas.ts';
import { sendTestChat } from './chat/send.ts';
import type { NotificationContext, NotificationProgram, TestOutcome } from './context.ts';
import { sendTestEmail } from './email/send.ts';

const TestChatBody = Type.Object(
  {
    url: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2048, description: 'left out: the one that is saved' }),
    ),
    format: Type.Optional(
      words(['slack', 'teams', 'discord', 'json'], {
        description: 'left out: the one that is saved, or slack',
      }),
    ),
  },
  { additionalProperties: false },
);

const TestOutcomeSchema = Type.Object({
  delivered: Type.Boolean({ description: 'whether the message has been taken' }),
  status_code: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'of the chat; null where it has not answered, and for mail',
  }),
  error: Type.Unsafe<string | null>({ ...NullableString, description: 'what went wrong, and what to do' }),
});

const admin = { access: { scope: 'admin', role: 'admin' } } as const;

/** Messages that only try whether messages arrive. */
export function notificationRoutes(program: NotificationProgram): FastifyPluginCallbackTypebox {
  const contextOf = (request: FastifyRequest): NotificationContext => ({ ...program, ...request.ctx });

  return (server, _options, done) => {
    server.post(
      '/organization/chat-webhook/test',
      {
        config: admin,
        schema: {
          tags: ['Organization'],
          summary: 'Send a test message to the chat',
          description:
            'Also to a chat that is not saved yet. Answers within ten seconds, with 200 also where the chat has not taken it.',
          body: nullable(TestChatBody),
          response: responses(200, dataOf(TestOutcomeSchema), [409]),
        },
      },
      async (request) => ({
        data: outcomeView(await sendTestChat(contextOf(request), request.body ?? {})),
      }),
    );

    server.post(
      '/members/:id/test-email',
      {
        config: admin,
        schema: {
          tags: ['Members'],
          summary: 'Send a test mail to a member',
          description:
            'Answers with 200 also where the mail server has not taken it, and with 409 where none is set (SMTP_URL).',
          params: IdParams,
          response: responses(200, dataOf(TestOutcomeSchema), [404, 409]),
        },
      },
      async (request) => ({
        data: outcomeView(await sendTestEmail(contextOf(request), request.params.id)),
      }),
    );
    done();
  };
}

function outcomeView({ delivered, statusCode, error }: TestOutcome) {
  return { delivered, status_code: statusCode, error };
}
