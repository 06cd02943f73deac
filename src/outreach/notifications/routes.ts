import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import { linkPages } from '../../platform/http/linkPages.ts';
import { dataOf, idParams, nullable, nullableText, responses, words } from '../../platform/http/schemas.ts';
import { sendTestChat } from './chat/send.ts';
import type { NotificationContext, NotificationProgram, TestOutcome } from './context.ts';
import { sendTestEmail } from './email/send.ts';
import { donePage, errorPage, findSubscriber, questionPage, unsubscribe } from './email/unsubscribe.ts';

const params = idParams('mem_5c1f0a9e7b3d4826f1a0');

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

const admin = { access: { scope: 'admin', role: 'admin' } } as const;

export function notificationRoutes(program: NotificationProgram): FastifyPluginCallbackTypebox {
  const contextOf = (request: FastifyRequest): NotificationContext => ({ ...program, ...request.ctx });

  return (server, _options, done) => {
    server.post(
      '/organization/chat-webhook/test',
      {
        config: admin,
        schema: {
          tags: ['Organization'],
          summary: 'Send a test message to the chat webhook',
          description:
            'Works before you save a chat webhook. Responds within ten seconds, with 200 even if the chat refuses the message.',
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
          summary: 'Send a test email to a member',
          description:
            'Responds with 200 even if the mail server refuses the email, and with 409 if no mail server is set (SMTP_URL).',
          params,
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

const exampleLink =
  'runcost_unsubscribe_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_5c1f0a9e7b3d4826f1a0_mW4xK8nB2vQ6tY0rE5uI9oP3aS7dF1gH-jLzXcCvVbN';

/** For links that the router refuses because they are too long or have a broken `%`. */
export function sendBrokenLink(reply: FastifyReply): void {
  const { markup } = errorPage(404, '');
  void reply.status(404).header('cache-control', 'no-store').type('text/html; charset=utf-8').send(markup);
}

export function unsubscribeRoutes(program: Program): FastifyPluginCallbackTypebox {
  return linkPages({
    path: '/unsubscribe/:link',
    tags: ['Members'],
    linkParameter: { description: 'from an alert email', examples: [exampleLink] },
    ask: {
      summary: 'Ask whether to stop alert emails',
      description:
        'Shows a page with a confirmation button. Opening it changes nothing, because mail scanners follow links.',
      found: 'The page',
      page: async (link) => questionPage(await findSubscriber(program, link)),
    },
    act: {
      summary: "Stop a member's alert emails",
      description:
        "Sets the member's `alert_emails` to false. Email clients call it with one click (RFC 8058).",
      found: 'Alert emails are off',
      page: async (link) => donePage(await unsubscribe(program, link)),
    },
    errorPage,
  });
}
