import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { Program } from '../../../context.ts';
import { problemAnswer } from '../../../platform/http/problem.ts';
import { shownName } from '../wording.ts';
import { html, type Markup } from './html.ts';
import { findSubscriber, unsubscribe, type Subscriber } from './unsubscribe.ts';

const Page = (description: string) => ({
  description,
  content: { 'text/html': { schema: Type.String() } },
});
const schema = {
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
          ...schema,
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
          ...schema,
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

function questionPage({ organization, email }: Subscriber): Markup {
  return page(
    'Unsubscribe from alert emails?',
    html`<p>
        Runcost stops sending alerts of <b>${shownName(organization)}</b> to <b>${shownName(email)}</b>.
      </p>
      <form method="post"><button>Unsubscribe</button></form>`,
  );
}

function donePage({ organization, email }: Subscriber): Markup {
  return page(
    'You are unsubscribed',
    html`<p>
        Runcost sends no more alerts of <b>${shownName(organization)}</b> to <b>${shownName(email)}</b>.
      </p>
      <p>To turn them on again, open Settings, Members in the dashboard.</p>`,
  );
}

function errorPage(status: number, detail: string): Markup {
  if (status !== 404) return page('Something went wrong', html`<p>${detail}</p>`);
  return page(
    'This link is not valid',
    html`<p>It may be incomplete, or of somebody who is no longer a member or has another address now.</p>
      <p>Alert emails can also be turned off in the dashboard: Settings, Members.</p>`,
  );
}

const style: Markup = {
  markup: `
:root { color-scheme: light dark; }
body { margin: 0; padding: 12vh 20px; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 30rem; margin: auto; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; }
button { font: inherit; font-weight: 600; padding: 10px 20px; border: 0; border-radius: 7px; background: #1f5fd6; color: #fff; cursor: pointer; }
`,
};

function page(title: string, content: Markup): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · Runcost</title>
        <style>
          ${style}
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `;
}
