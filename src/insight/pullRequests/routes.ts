import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Logger } from 'pino';
import type { Program } from '../../context.ts';
import { leavingOf } from '../../platform/http/leaving.ts';
import { dataOf, responses } from '../../platform/http/schemas.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { toNanos } from '../../platform/lib/money.ts';
import type { EstimateThreads } from '../estimates/threads.ts';
import { pullRequestReport } from './report.ts';
import { maxBodyBytes, ReportBody, ReportSchema } from './schema.ts';
import { estimateOf, reportView } from './view.ts';

type ReportProgram = Program & { log: Logger; publicUrl: () => string; estimates: EstimateThreads };

export function pullRequestRoutes(program: ReportProgram): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.post(
      '/pull-request-reports',
      {
        bodyLimit: maxBodyBytes,
        config: { access: { scope: 'costs:read', role: 'viewer' } },
        schema: {
          tags: ['Costs'],
          summary: 'Report the cost of a pull request',
          description:
            'What the runs of a pull request cost so far, and what its workflow changes cost a month, with a comment and ' +
            'a check for its page at the provider. ' +
            'Stores nothing.',
          body: ReportBody,
          response: responses(200, dataOf(ReportSchema), [413]),
        },
      },
      async ({ actor, plan, body }, reply) => {
        const { repository, pull_request: number, provider, base, head, fail_above: limit = null } = body;
        const failAbove = limit === null ? null : toNanos(limit);
        if (limit !== null && failAbove === null)
          throw invalid('body.fail_above', 'must have at most nine decimals');
        if (!base !== !head)
          throw invalid(`body.${base ? 'head' : 'base'}`, 'must be given too: `base` and `head` are a pair');
        const ctx = { ...program, actor, plan };
        const asked = { repository, number, provider };
        const report = await pullRequestReport(ctx, asked);
        const estimate =
          base && head ? await estimateOf(ctx, asked, { base, head }, { signal: leavingOf(reply) }) : null;
        return { data: reportView(report, { failAbove, estimate, publicUrl: program.publicUrl() }) };
      },
    );
    done();
  };
}
