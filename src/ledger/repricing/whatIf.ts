import type { Context } from '../../context.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { slicesOf, type Window } from '../../platform/lib/days.ts';
import { invalid, within } from '../../platform/lib/errors.ts';
import { compare } from '../../platform/lib/lists.ts';
import { magnitude, type Nanos } from '../../platform/lib/money.ts';
import { planWindow } from '../../tenancy/organizations/plans.ts';
import { findBook } from '../pricing/books.ts';
import { billTime, costOf, maxBilledMinutes, priceRunner } from '../pricing/cost.ts';
import { createPriceList, findPriceList, type PriceList } from '../pricing/priceList.ts';
import type { Provider, Providers } from '../pricing/provider.ts';
import { readRule, type RuleInput } from '../pricing/rules.ts';
import { listJobDays } from '../runs/reading.ts';
import { findJobGroups, findWorkflowNames, type JobGroup, type TimeGrouping } from './previews.queries.ts';

type Scenario = 'self_hosted_fee';

export type WhatIfInput = {
  days?: number;
  book_id?: string;
  /** Replaces all rules. Defaults to the current rules. */
  rules?: RuleInput[];
  scenario?: Scenario | null;
};

type Sums = {
  jobs: number;
  minutes: number;
  nowNanos: Nanos;
  currentNanos: Nanos;
  thenNanos: Nanos;
  /** The part of `thenNanos` that the scenario adds. */
  scenarioNanos: Nanos;
  unpricedMinutesNow: number;
  unpricedMinutesThen: number;
};
export type WhatIf = {
  period: Window;
  book: { id: string; name: string };
  scenario: Scenario | null;
  total: Sums;
  workflows: (Sums & { workflowId: string; workflowName: string; repository: string })[];
};

/** Stores nothing. Reads jobs in slices, so that other requests can use the database in between. */
export async function whatIf(
  {
    db,
    actor,
    clock,
    providers,
    plan,
  }: Pick<Context, 'db' | 'actor' | 'clock' | 'providers'> & { plan: Plan },
  input: WhatIfInput,
): Promise<WhatIf> {
  const { days = 90, scenario = null } = input;
  const period = planWindow(clock.now(), plan, days);
  const current = await findPriceList({ db, providers }, actor.orgId);
  const list = await proposedList(db, actor.orgId, current, input);
  const grouping = timeGrouping([...list.rules, ...current.rules], providers);
  const byWorkflow = new Map<string, Sums>();
  for (const slice of slicesOf(await listJobDays({ db, actor }, period), maxSliceJobs)) {
    for (const group of await findJobGroups(db, actor.orgId, slice, grouping, providers)) {
      const known = byWorkflow.get(group.workflowId) ?? nothing;
      byWorkflow.set(group.workflowId, added(known, sumsOf(group, { current, list, scenario })));
    }
  }
  return {
    period,
    scenario,
    book: { id: list.book.id, name: list.book.name },
    total: [...byWorkflow.values()].reduce(added, nothing),
    workflows: await named(db, actor.orgId, byWorkflow),
  };
}

/** Limits the memory and the time of a query. */
const maxSliceJobs = 10_000;

async function proposedList(
  db: Database,
  orgId: string,
  current: PriceList,
  input: WhatIfInput,
): Promise<PriceList> {
  const { providers } = current;
  const book =
    input.book_id === undefined ? current.book : await findBook({ db, providers }, orgId, input.book_id);
  if (!book) {
    throw invalid('book_id', 'names no price list of this organization; GET /pricing/books lists them');
  }
  if (!input.rules) return { ...current, book };
  const rules = input.rules.map((rule, index) => ({
    ...within(`rules[${index}]`, () => readRule(rule)),
    id: `proposed_${index + 1}`,
  }));
  return { ...current, book, rules: createPriceList(book, rules, providers).rules };
}

const nothing: Sums = {
  jobs: 0,
  minutes: 0,
  nowNanos: 0n,
  currentNanos: 0n,
  thenNanos: 0n,
  scenarioNanos: 0n,
  unpricedMinutesNow: 0,
  unpricedMinutesThen: 0,
};

function sumsOf(
  group: JobGroup,
  { current, list, scenario }: { current: PriceList; list: PriceList; scenario: Scenario | null },
): Sums {
  const { costNanos, unpricedMinutes } = priceGroup(group, list);
  const scenarioNanos = scenarioCost(group, list, scenario);
  return {
    jobs: Number(group.jobs),
    minutes: Number(group.billedMinutes),
    nowNanos: group.costNanos,
    currentNanos: priceGroup(group, current).costNanos,
    thenNanos: costNanos + scenarioNanos,
    scenarioNanos,
    unpricedMinutesNow: Number(group.unpricedMinutes),
    unpricedMinutesThen: Number(unpricedMinutes),
  };
}

function added(a: Sums, b: Sums): Sums {
  return {
    jobs: a.jobs + b.jobs,
    minutes: a.minutes + b.minutes,
    nowNanos: a.nowNanos + b.nowNanos,
    currentNanos: a.currentNanos + b.currentNanos,
    thenNanos: a.thenNanos + b.thenNanos,
    scenarioNanos: a.scenarioNanos + b.scenarioNanos,
    unpricedMinutesNow: a.unpricedMinutesNow + b.unpricedMinutesNow,
    unpricedMinutesThen: a.unpricedMinutesThen + b.unpricedMinutesThen,
  };
}

async function named(
  db: Database,
  orgId: string,
  byWorkflow: ReadonlyMap<string, Sums>,
): Promise<WhatIf['workflows']> {
  if (byWorkflow.size === 0) return [];
  const names = new Map(
    (await findWorkflowNames(db, orgId, [...byWorkflow.keys()])).map((row) => [row.id, row]),
  );
  const change = ({ currentNanos, thenNanos }: Sums) => magnitude(thenNanos - currentNanos);
  const difference = ({ nowNanos, thenNanos }: Sums) => magnitude(thenNanos - nowNanos);
  return [...byWorkflow]
    .map(([workflowId, sums]) => ({
      ...sums,
      workflowId,
      workflowName: names.get(workflowId)?.name ?? workflowId,
      repository: names.get(workflowId)?.repository ?? '',
    }))
    .toSorted(
      (a, b) =>
        compare(change(b), change(a)) ||
        compare(difference(b), difference(a)) ||
        compare(b.nowNanos, a.nowNanos) ||
        compare(a.workflowId, b.workflowId),
    );
}

function timeGrouping(rules: PriceList['rules'], providers: Providers): TimeGrouping {
  const bySecond = providers.list.filter(({ rounding }) => rounding === 'second');
  const kinds = bySecond.flatMap((provider) => provider.kinds.map(({ id }) => id));
  const cuts = providers.list.flatMap(limitsOf).map(maxBilledMinutes);
  return {
    cutAfterMinutes: [...new Set(cuts)].toSorted((a, b) => a - b),
    bySecond: {
      always: rules.some(
        ({ rounding, runnerKind }) =>
          rounding === 'second' || (runnerKind !== null && kinds.includes(runnerKind)),
      ),
      providers: bySecond.map(({ id }) => id),
      kinds,
    },
  };
}

function limitsOf({ timeLimit }: Provider): number[] {
  return timeLimit ? [timeLimit.minutes, ...Object.values(timeLimit.minutesOf ?? {})] : [];
}

function priceGroup(group: JobGroup, list: PriceList): { costNanos: Nanos; unpricedMinutes: bigint } {
  const runner = priceRunner(group, list, group.day);
  const { nanosPerMinute, rounding, hasPrice } = runner;
  const eachMinute = BigInt(runner.parallelism) * nanosPerMinute;
  // All jobs of a group are cut, or none is.
  if (group.longerThanMinutes >= maxBilledMinutes(runner.timeLimitMinutes)) {
    const { minutes, costNanos } = billTime(runner, group.longerThanMinutes * 60_000);
    const unpricedMinutes = hasPrice ? 0n : group.jobs * BigInt(minutes);
    return { costNanos: group.jobs * costNanos, unpricedMinutes };
  }
  if (!hasPrice) return { costNanos: 0n, unpricedMinutes: group.startedMinutes };
  if (rounding === 'minute') return { costNanos: group.startedMinutes * eachMinute, unpricedMinutes: 0n };
  if (group.secondsBeyond === null)
    throw new Error('jobs that are billed by the second were grouped by minutes');
  // Each job is rounded up separately, but only seconds beyond whole minutes need rounding.
  const beyond = costOf(runner, { minutes: 1, seconds: group.secondsBeyond });
  return { costNanos: group.wholeMinutes * eachMinute + group.jobs * beyond, unpricedMinutes: 0n };
}

function scenarioCost(group: JobGroup, list: PriceList, scenario: Scenario | null): Nanos {
  if (scenario !== 'self_hosted_fee' || group.isPrivate !== true) return 0n;
  const provider = list.providers.of(group.provider);
  // Self-hosted servers pay no such fee.
  if (!provider?.announcedSelfHostedFee || provider.id !== group.provider) return 0n;
  // Rules change prices, not who owns the runner.
  const { kind } = priceRunner(group, { ...list, rules: [] }, group.day);
  return kind === 'self_hosted' || kind === 'third_party'
    ? group.billedMinutes * provider.announcedSelfHostedFee
    : 0n;
}
