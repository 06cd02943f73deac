import { taskView } from '../../platform/http/views.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { usd } from '../../platform/lib/money.ts';
import type { EndedList } from './endedList.ts';
import type { LoggedChange, LoggedPrice } from './queries.ts';
import type { Reprice } from './reprices.ts';
import type { WhatIf } from './whatIf.ts';

const maxWorkflows = 500;

export function whatIfView({ period, book, scenario, total, workflows }: WhatIf) {
  return {
    period,
    book,
    scenario,
    total: sumsView(total),
    workflow_count: workflows.length,
    workflows: workflows.slice(0, maxWorkflows).map((entry) => ({
      ...apiFields(entry),
      repo_name: entry.repository,
      ...sumsView(entry),
    })),
  };
}

function sumsView(sums: WhatIf['total']) {
  return {
    ...apiFields(sums),
    cost_now: usd(sums.nowNanos),
    cost_current: usd(sums.currentNanos),
    cost_then: usd(sums.thenNanos),
    difference: usd(sums.thenNanos - sums.nowNanos),
    change: usd(sums.thenNanos - sums.currentNanos),
  };
}

export function endedListView({ book, lastDay, next, period, nowNanos, thenNanos }: EndedList) {
  return {
    book,
    last_day: lastDay,
    next_book: next,
    period,
    cost_now: usd(nowNanos),
    cost_then: usd(thenNanos),
    difference: usd(thenNanos - nowNanos),
  };
}

export function repriceView(task: Reprice) {
  const { input, state } = task;
  const [before, after] = [BigInt(state.beforeNanos), BigInt(state.afterNanos)];
  const isReprice = input.action === 'reprice';
  return {
    id: task.id,
    reverts: isReprice ? null : input.repriceId,
    from: input.from,
    to: input.to,
    dry_run: isReprice && input.isDryRun,
    unpriced_only: isReprice && input.isUnpricedOnly === true,
    book_id: isReprice ? input.list.priceBookId : null,
    changed_jobs: state.changedJobs,
    skipped_jobs: state.skippedJobs,
    cost_before: usd(before),
    cost_after: usd(after),
    difference: usd(after - before),
    ...taskView(task),
  };
}

export function changeView({ runId, attempt, jobId, before, after }: LoggedChange) {
  return { run_id: runId, attempt, job_id: jobId, before: priceView(before), after: priceView(after) };
}

function priceView(price: LoggedPrice) {
  return {
    ...apiFields(price),
    price_per_minute: usd(BigInt(price.nanosPerMinute)),
    cost: usd(BigInt(price.costNanos)),
  };
}
