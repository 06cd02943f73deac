import type { Context } from '../../context.ts';
import { dayOf, windowEnding, type Window } from '../../platform/lib/days.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { formatNanos, type Nanos } from '../../platform/lib/money.ts';
import { differences, recordAudit } from '../../tenancy/audit/audit.ts';
import { lockCosts } from '../../tenancy/organizations/organizations.ts';
import { readRate, type PriceInput } from './books.ts';
import { beginning } from './priceBook.ts';
import {
  findShadowCosts,
  findShadowRates,
  replaceShadowRates,
  type ShadowRate,
  type ShadowRow,
} from './queries.ts';
import { customName } from './runnerWords.ts';

export function getShadowRates({ db, actor }: Pick<Context, 'db' | 'actor'>): Promise<ShadowRate[]> {
  return findShadowRates(db, actor.orgId);
}

/** They also apply to recorded jobs, because costs at shadow rates are computed when shown. */
export async function setShadowRates(ctx: Context, input: readonly PriceInput[]): Promise<ShadowRate[]> {
  const rates = input.map(readShadowRate);
  refuseRepeated(rates);
  await ctx.db.transaction().execute(async (tx) => {
    await lockCosts(tx, ctx.actor.orgId);
    const before = await findShadowRates(tx, ctx.actor.orgId);
    const details = differences({ rates: namedByTheApi(before) }, { rates: namedByTheApi(rates) });
    if (!details) return;
    await replaceShadowRates(tx, ctx.actor.orgId, rates);
    await recordAudit(tx, ctx, 'shadow_rates.update', ctx.actor.orgId, details);
  });
  return getShadowRates(ctx);
}

function namedByTheApi(rates: readonly ShadowRate[]) {
  return rates
    .map(({ runnerKind, effectiveFrom, nanosPerMinute }) => ({
      runner_kind: runnerKind,
      effective_from: effectiveFrom,
      usd_per_minute: Number(formatNanos(nanosPerMinute)),
    }))
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function keyOf(rate: { runner_kind: string; effective_from: string }): string {
  return `${rate.effective_from} ${rate.runner_kind}`;
}

function readShadowRate(input: PriceInput, index: number): ShadowRate {
  const { runner_kind: runnerKind, usd_per_minute, effective_from: effectiveFrom = beginning } = input;
  const path = `rates[${index}]`;
  if (!['self_hosted', 'third_party'].includes(runnerKind) && !customName(runnerKind)) {
    throw invalid(
      `${path}.runner_kind`,
      'must be self_hosted, third_party, or custom: and the name of a rule with its own rate',
    );
  }
  return { runnerKind, effectiveFrom, nanosPerMinute: readRate(usd_per_minute, `${path}.usd_per_minute`) };
}

function refuseRepeated(rates: readonly ShadowRate[]): void {
  const seen = new Set<string>();
  for (const [index, { runnerKind, effectiveFrom }] of rates.entries()) {
    const key = `${effectiveFrom} ${runnerKind}`;
    if (seen.has(key)) {
      throw invalid(`rates[${index}]`, `repeats the rate of ${runnerKind} from ${effectiveFrom}`);
    }
    seen.add(key);
  }
}

type ShadowSums = { minutes: number; unratedMinutes: number; shadowNanos: Nanos };
export type ShadowCost = {
  period: Window;
  total: ShadowSums;
  workflows: (ShadowSums & { workflowId: string; workflowName: string; repository: string })[];
  runnerKinds: (ShadowSums & { runnerKind: string })[];
};

/** Shadow cost is not part of any other cost. */
export async function getShadowCost(
  { db, actor, clock }: Pick<Context, 'db' | 'actor' | 'clock'>,
  days: number,
): Promise<ShadowCost> {
  const period = windowEnding(dayOf(clock.now()), days);
  const rows = await findShadowCosts(db, actor.orgId, period);
  const workflows = Map.groupBy(rows, ({ workflowId }) => workflowId);
  const runnerKinds = Map.groupBy(rows, ({ runnerKind }) => runnerKind);
  return {
    period,
    total: sumOf(rows),
    workflows: [...workflows.values()]
      .map((ofOne) => {
        const { workflowId, workflowName, repository } = ofOne[0]!;
        return { workflowId, workflowName, repository, ...sumOf(ofOne) };
      })
      .toSorted((a, b) => byCost(a, b) || (a.workflowId < b.workflowId ? -1 : 1)),
    runnerKinds: [...runnerKinds]
      .map(([runnerKind, ofOne]) => ({ runnerKind, ...sumOf(ofOne) }))
      .toSorted((a, b) => byCost(a, b) || (a.runnerKind < b.runnerKind ? -1 : 1)),
  };
}

function sumOf(rows: readonly ShadowRow[]): ShadowSums {
  const add = (measure: (row: ShadowRow) => bigint) => rows.reduce((sum, row) => sum + measure(row), 0n);
  return {
    minutes: Number(add(({ minutes }) => minutes)),
    unratedMinutes: Number(add(({ minutes, ratedMinutes }) => minutes - ratedMinutes)),
    shadowNanos: add(({ shadowNanos }) => shadowNanos),
  };
}

function byCost(a: ShadowSums, b: ShadowSums): number {
  if (a.shadowNanos !== b.shadowNanos) return a.shadowNanos < b.shadowNanos ? 1 : -1;
  return b.minutes - a.minutes;
}
