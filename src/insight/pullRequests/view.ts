import { cliActor } from '../../platform/lib/actor.ts';
import { percentOf, usd, type Nanos } from '../../platform/lib/money.ts';
import { getOrganization } from '../../tenancy/organizations/organizations.ts';
import type { Estimate } from '../estimates/estimate.ts';
import { categoryViews } from '../waste/getWaste.ts';
import { sumOf } from '../waste/jobGroups.ts';
import { checkOf, markdownOf } from './markdown.ts';
import {
  pullRequestReport,
  type AskedPullRequest,
  type PullRequestReport,
  type ReportReader,
} from './report.ts';

export function reportView(
  report: PullRequestReport,
  {
    failAbove,
    estimate,
    publicUrl,
  }: { failAbove: Nanos | null; estimate: Estimate | null; publicUrl: string },
) {
  const url = pageOf(report, publicUrl);
  const markdown = markdownOf(report, { url, estimate });
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
    billed_minutes: report.minutes,
    jobs: report.jobs,
    unpriced_jobs: report.unpricedJobs,
    most_expensive_jobs: report.mostExpensive.map(({ workflowId, workflowName, name, cost, times }) => ({
      ...{ workflow_id: workflowId, workflow_name: workflowName, name, cost: usd(cost), times },
    })),
    waste: {
      cost: usd(wasted),
      share_percent: percentOf(wasted, sumOf(report.waste, 'all').costNanos),
      categories: categoryViews(report.waste).map(({ category, cost, jobs, minutes }) => ({
        ...{ category, cost, jobs, minutes },
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

/** Explore with the same filters. */
function pageOf({ repository, number, period }: PullRequestReport, publicUrl: string): string {
  const parameters = new URLSearchParams({
    ...(period && { from: period.start, to: period.end }),
    ...{ group_by: 'job', repository, pull_request: String(number) },
  });
  return `${publicUrl}/explore?${parameters.toString()}`;
}

type Publisher = Omit<ReportReader, 'actor' | 'plan'> & { publicUrl: () => string };

/** What background work writes to the CI provider. */
export async function publishedReport(
  program: Publisher,
  orgId: string,
  { failAbove, ...asked }: AskedPullRequest & { failAbove: Nanos | null },
) {
  const actor = { ...cliActor(orgId), name: 'pull requests' };
  const { plan } = await getOrganization({ ...program, actor });
  const report = await pullRequestReport({ ...program, actor, plan }, asked);
  const { markdown, check } = reportView(report, {
    failAbove,
    estimate: null,
    publicUrl: program.publicUrl(),
  });
  return { markdown, check };
}
