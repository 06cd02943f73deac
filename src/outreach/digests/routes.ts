import type { FastifyPluginCallback } from 'fastify';
import { linkPages } from '../../platform/http/linkPages.ts';
import type { DigestProgram } from './planDigests.ts';
import {
  digestDone,
  digestErrorPage,
  digestQuestion,
  findSubscription,
  unsubscribeFromDigest,
} from './unsubscribe.ts';

const exampleLink =
  'runcost_digest_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_5c1f0a9e7b3d4826f1a0_mW4xK8nB2vQ6tY0rE5uI9oP3aS7dF1gH-jLzXcCvVbN';

export function digestLinkRoutes(program: DigestProgram): FastifyPluginCallback {
  return linkPages({
    path: '/unsubscribe/digest/:link',
    tags: ['Digests'],
    linkParameter: { description: 'from the email of a digest', examples: [exampleLink] },
    ask: {
      summary: 'Ask whether to stop a digest',
      description:
        'Shows a page with a confirmation button. Opening it changes nothing, because mail scanners follow links.',
      found: 'The page',
      page: async (link) => digestQuestion(await findSubscription(program, link)),
    },
    act: {
      summary: 'Stop a digest',
      description:
        'Stops the digest for this recipient only. Email clients call it with one click (RFC 8058).',
      found: 'The recipient no longer gets the digest',
      page: async (link) => digestDone(await unsubscribeFromDigest(program, link)),
    },
    errorPage: digestErrorPage,
  });
}
