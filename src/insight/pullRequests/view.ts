import type { Logger } from 'pino';
import { costOfAmounts } from '../../ledger/runs/amounts.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { percentOf, usd, type Nanos } from '../../platform/lib/money.ts';
import { getOrganization } from '../../tenancy/organizations/organizations.ts';
import type { Estimate, EstimateQuestion } from '../estimates/estimate.ts';
import type { HistoryContext } from '../estimates/history.ts';
import type { EstimateThreads } from '../estimates/threads.ts';
import { sumOf } from '../waste/jobGroups.ts';
import { categoryViews } from '../waste/views.ts';
import { checkOf, markdownOf } from './markdown.ts';
import {
  pullRequestReport,
  type AskedPullRequest,
  type PullRequestReport,
  type ReportContext,
} from './report.ts';

export function reportView(
  report: PullRequestReport,
  {
    failAbove,
    estimate,
    note = null,
    publicUrl,
  }: { failAbove: Nanos | null; estimate: Estimate | null; note?: string | null; publicUrl: string },
) {
  const url = pageUrl(report, publicUrl);
  const markdown = markdownOf(report, { url, estimate, note });
  const wasted = sumOf(report.waste, 'waste').costNanos;
  return {
    repository: report.repository,
    pull_request: report.number,
    period: report.period,
    runs: report.runs,
    runs_in_progress: report.runsInProgress,
    reruns: report.reruns,
    cost: usd(report.cost),
    net_cost: usd(report.netCost),
    amounts: report.amounts.map(apiFields),
    cost_with_amounts: usd(report.cost + costOfAmounts(report.amounts)),
    billed_minutes: report.minutes,
    jobs: report.jobs,
    unpriced_jobs: report.unpricedJobs,
    actor_kinds: report.actorKinds.map(({ kind, cost }) => ({ kind, cost: usd(cost) })),
    most_expensive_jobs: report.mostExpensive.map(({ workflowId, workflowName, name, cost, times }) => ({
      workflow_id: workflowId,
      workflow_name: workflowName,
      name,
      cost: usd(cost),
      times,
    })),
    rounds: report.rounds.map((round) => apiFields(round)),
    waste: {
      cost: usd(wasted),
      share_percent: percentOf(wasted, sumOf(report.waste, 'all').costNanos),
      categories: categoryViews(report.waste).map(({ category, cost, jobs, minutes }) => ({
        category,
        cost,
        jobs,
        minutes,
      })),
    },
    estimate: estimate && {
      monthly_cost: usd(estimate.change.nanos),
      low: usd(estimate.change.lowNanos),
      high: usd(estimate.change.highNanos),
    },
    url,
    markdown,
    check: checkOf(report, failAbove, markdown),
  };
}

function pageUrl({ repository, number, period }: PullRequestReport, publicUrl: string): string {
  const parameters = new URLSearchParams({
    ...(period && { from: period.start, to: period.end }),
    group_by: 'job',
    repository,
    pull_request: String(number),
  });
  return `${publicUrl}/explore?${parameters.toString()}`;
}

type Publisher = Omit<HistoryContext & ReportContext, 'actor' | 'plan'> & {
  estimates: EstimateThreads;
  log: Logger;
  publicUrl: () => string;
};

type Revisions = Pick<EstimateQuestion, 'base' | 'head'>;

/** Readers of the pull request may not have access to other repositories, so it must not use their jobs. */
export function estimateOf(
  ctx: HistoryContext & { estimates: EstimateThreads },
  { repository, provider }: AskedPullRequest,
  { base, head }: Revisions,
  options: { signal: AbortSignal } | { isPatient: true },
): Promise<Estimate> {
  const asked = { repository, provider: provider?.split('.')[0], base, head, isOfOwnJobsOnly: true };
  return ctx.estimates.estimate(ctx, asked, options);
}

/** `note` says why changed workflow files could not be read. */
type Changes = { workflows: Revisions | null; note: string | null };

export async function publishedReport(
  program: Publisher,
  orgId: string,
  { failAbove, ...asked }: AskedPullRequest & { failAbove: Nanos | null },
  { workflows, note }: Changes,
) {
  const actor = { ...cliActor(orgId), name: 'pull requests' };
  const { plan } = await getOrganization({ ...program, actor });
  const ctx = { ...program, actor, plan };
  const report = await pullRequestReport(ctx, asked);
  // Files from strangers must not prevent the comment.
  const estimated = await (workflows && estimateOf(ctx, asked, workflows, { isPatient: true }))?.catch(
    (error: unknown) => {
      const { repository } = asked;
      program.log.error({ err: error, organization: orgId, repository }, 'an estimate failed');
    },
  );
  const publicUrl = program.publicUrl();
  const { markdown, check } = reportView(report, {
    failAbove,
    estimate: estimated ?? null,
    note: workflows && !estimated ? 'Runcost itself failed. The log of the server has the reason.' : note,
    publicUrl,
  });
  return { markdown, check };
}
