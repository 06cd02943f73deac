import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { problemAnswer } from './problem.ts';
import { sampleText } from './schemas.ts';

type Page = { markup: string };
type Step = { summary: string; description: string; found: string; page: (link: string) => Promise<Page> };

export type LinkPages = {
  /** A path with the parameter `:link`. */
  path: string;
  tags: string[];
  linkParameter: { description: string; examples: string[] };
  /** Must change nothing, because mail scanners open links. */
  ask: Step;
  act: Step;
  errorPage: (status: number, detail: string) => Page;
};

/** Serves a link in an email that works without signing in: the first page asks, and its button acts. */
export function linkPages(pages: LinkPages): FastifyPluginCallbackTypebox {
  const { path, tags, linkParameter, errorPage } = pages;
  const params = Type.Object({ link: Type.String(linkParameter) });
  return (server, _options, done) => {
    // Email clients post `List-Unsubscribe=One-Click` as a form (RFC 8058); the link is all we need.
    server.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 4_096 }, (_request, _body, parsed) =>
      parsed(null),
    );
    server.setErrorHandler((error, request, reply) => {
      const { status, detail } = problemAnswer(error, request, reply);
      return sendPage(reply.status(status), errorPage(status, detail));
    });
    for (const [method, step] of [['GET', pages.ask] as const, ['POST', pages.act] as const]) {
      const { summary, description, found } = step;
      const response = { 200: pageSchema(found), 404: pageSchema('The link is not valid') };
      server.route({
        method,
        url: path,
        config: { access: 'public' } as const,
        schema: { tags, security: [], params, summary, description, response },
        handler: async (request, reply) => sendPage(reply, await step.page(request.params.link)),
      });
    }
    done();
  };
}

function pageSchema(description: string) {
  return { description, content: { 'text/html': { schema: sampleText('<!doctype html>…') } } };
}

function sendPage(reply: FastifyReply, { markup }: Page): FastifyReply {
  return reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(markup);
}
