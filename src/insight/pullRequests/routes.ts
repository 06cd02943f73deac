import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Logger } from 'pino';
import type { Program } from '../../context.ts';
import { dataOf, responses } from '../../platform/http/schemas.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { toNanos } from '../../platform/lib/money.ts';
import { pullRequestReport } from './report.ts';
import { ReportBody, ReportSchema } from './schema.ts';
import { reportView } from './view.ts';

type ReportProgram = Program & { log: Logger; publicUrl: () => string };

export function pullRequestRoutes(program: ReportProgram): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.post(
      '/pull-request-reports',
      {
        config: { access: { scope: 'costs:read', role: 'viewer' } },
        schema: {
          tags: ['Costs'],
          summary: 'Report the cost of a pull request',
          description:
            'What the runs of a pull request cost so far, with a comment and a check for its page at the CI provider. ' +
            'Stores nothing.',
          body: ReportBody,
          response: responses(200, dataOf(ReportSchema)),
        },
      },
      async ({ actor, plan, body }) => {
        const { repository, pull_request: number, provider, fail_above: limit = null } = body;
        const failAbove = limit === null ? null : toNanos(limit);
        if (limit !== null && failAbove === null)
          throw invalid('body.fail_above', 'must have at most nine decimals');
        const report = await pullRequestReport({ ...program, actor, plan }, { repository, number, provider });
        return { data: reportView(report, { failAbove, publicUrl: program.publicUrl() }) };
      },
    );
    done();
  };
}
