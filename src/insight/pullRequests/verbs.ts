import type { Logger } from 'pino';
import { leavingOf } from '../../platform/http/leaving.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { toNanos } from '../../platform/lib/money.ts';
import type { EstimateThreads } from '../estimates/threads.ts';
import { pullRequestReport } from './report.ts';
import { maxBodyBytes, ReportBody, ReportSchema } from './schema.ts';
import { estimateOf, reportView } from './view.ts';

type ReportProgram = { log: Logger; publicUrl: () => string; estimates: EstimateThreads };

const verb = verbsWith<VerbContext & ReportProgram>();

export const pullRequestVerbs = [
  verb({
    tag: 'Costs',
    access: { scope: 'costs:read', role: 'viewer' },
    name: 'pull-request report',
    at: 'POST /pull-request-reports',
    title: 'Report the cost of a pull request',
    description:
      'What the runs of a pull request cost so far, and what its workflow changes cost a month, with a comment and ' +
      'a check for its page at the provider. ' +
      'Stores nothing.',
    body: ReportBody,
    maxBodyBytes,
    answer: ReportSchema,
    faults: [413],
    run: async (ctx, { body }, { reply }) => {
      const { repository, pull_request: number, provider, base, head, fail_above: limit = null } = body;
      const failAbove = limit === null ? null : toNanos(limit);
      if (limit !== null && failAbove === null)
        throw invalid('fail_above', 'must have at most nine decimals');
      if (!base !== !head)
        throw invalid(base ? 'head' : 'base', 'must be given too: `base` and `head` are a pair');
      const asked = { repository, number, provider };
      const report = await pullRequestReport(ctx, asked);
      const estimate =
        base && head ? await estimateOf(ctx, asked, { base, head }, { signal: leavingOf(reply) }) : null;
      return reportView(report, { failAbove, estimate, publicUrl: ctx.publicUrl() });
    },
  }),
];
