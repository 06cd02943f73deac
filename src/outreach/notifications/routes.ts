import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import { problemAnswer } from '../../platform/http/problem.ts';
import { dataOf, IdParams, nullable, NullableString, responses, words } from '../../platform/http/schemas.ts';
import { sendTestChat } from './chat/send.ts';
import type { NotificationContext, NotificationProgram, TestOutcome } from './context.ts';
import type { Markup } from './email/html.ts';
import { sendTestEmail } from './email/send.ts';
import { donePage, errorPage, findSubscriber, questionPage, unsubscribe } from './email/unsubscribe.ts';

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

const Page = (description: string) => ({
  description,
  content: { 'text/html': { schema: Type.String() } },
});
const unsubscribing = {
  tags: ['Members'],
  security: [],
  params: Type.Object({ link: Type.String({ description: 'stands in every alert mail' }) }),
};

/** The unsubscribe link of alert mails. It is the only right that it needs, and takes no more than one click. */
export function unsubscribeRoutes(program: Program): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    // Mail programs post `List-Unsubscribe=One-Click` as a form (RFC 8058); the link says it all.
    server.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 4_096 }, (_request, _body, parsed) =>
      parsed(null),
    );
    server.setErrorHandler((error, request, reply) => {
      const { status, detail } = problemAnswer(error, request, reply);
      return sendPage(reply.status(status), errorPage(status, detail));
    });

    server.get(
      '/unsubscribe/:link',
      {
        config: { access: 'public' },
        schema: {
          ...unsubscribing,
          summary: 'Ask whether to stop alert mails',
          description: 'A page with a button. It changes nothing: mail scanners open links.',
          response: { 200: Page('The page'), 404: Page('The link is not valid, or no longer') },
        },
      },
      async (request, reply) =>
        sendPage(reply, questionPage(await findSubscriber(program, request.params.link))),
    );

    server.post(
      '/unsubscribe/:link',
      {
        config: { access: 'public' },
        schema: {
          ...unsubscribing,
          summary: 'Stop alert mails to a member',
          description:
            "Sets the member's `alert_emails` to false. Mail programs call it by one click (RFC 8058).",
          response: { 200: Page('They are off'), 404: Page('The link is not valid, or no longer') },
        },
      },
      async (request, reply) => sendPage(reply, donePage(await unsubscribe(program, request.params.link))),
    );
    done();
  };
}

function sendPage(reply: FastifyReply, { markup }: Markup): FastifyReply {
  return reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(markup);
}
