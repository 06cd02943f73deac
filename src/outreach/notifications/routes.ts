import type { FastifyPluginCallback, FastifyReply } from 'fastify';
import type { Program } from '../../context.ts';
import { linkPages } from '../../platform/http/linkPages.ts';
import {
  againDone,
  againQuestion,
  donePage,
  errorPage,
  findOther,
  findSubscriber,
  questionPage,
  subscribeAgain,
  unsubscribe,
} from '../channels/email/unsubscribe.ts';

const exampleLink =
  'runcost_unsubscribe_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_5c1f0a9e7b3d4826f1a0_mW4xK8nB2vQ6tY0rE5uI9oP3aS7dF1gH-jLzXcCvVbN';

const linkParameter = { description: 'from an alert email', examples: [exampleLink] };

/** For links that the router refuses because they are too long or have a broken `%`. */
export function sendBrokenLink(reply: FastifyReply): void {
  const { markup } = errorPage(404, '');
  void reply.status(404).header('cache-control', 'no-store').type('text/html; charset=utf-8').send(markup);
}

export function unsubscribeRoutes(program: Program): FastifyPluginCallback {
  return linkPages({
    path: '/unsubscribe/:link',
    tags: ['Members'],
    linkParameter,
    ask: {
      summary: 'Ask whether to stop alert emails',
      description:
        'Shows a page with a confirmation button. Opening it changes nothing, because mail scanners follow links.',
      found: 'The page',
      page: async (link) => questionPage(await findSubscriber(program, link)),
    },
    act: {
      summary: 'Stop alert emails',
      description:
        "Sets the member's `alert_emails` to false, or stops emails to the address of somebody else. Email clients call it with one click (RFC 8058).",
      found: 'Alert emails are off',
      page: async (link) => donePage(await unsubscribe(program, link), link),
    },
    errorPage,
  });
}

export function subscribeRoutes(program: Program): FastifyPluginCallback {
  return linkPages({
    path: '/subscribe/:link',
    tags: ['Members'],
    linkParameter,
    ask: {
      summary: 'Ask whether to send emails again',
      description:
        'Shows a page with a confirmation button to somebody who is no member and has unsubscribed.',
      found: 'The page',
      page: async (link) => againQuestion(await findOther(program, link)),
    },
    act: {
      summary: 'Send emails to an address again',
      description: 'Only the owner of the address can, by a link in an earlier email.',
      found: 'Emails are on',
      page: async (link) => againDone(await subscribeAgain(program, link)),
    },
    errorPage,
  });
}
