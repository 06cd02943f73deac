import { inSnapshot } from '../../platform/db/database.ts';
import type { Window } from '../../platform/lib/days.ts';
import { compare, sumOf } from '../../platform/lib/lists.ts';
import { magnitude, type Nanos } from '../../platform/lib/money.ts';
import { yieldToRequests } from '../../platform/lib/turns.ts';
import type { AnomalyRule } from './anomaly.ts';
import { splitChange, type Parts, type Use } from './changeParts.ts';
import { useColumns, usesByGroup } from './changeUses.ts';
import { createGroupIndex, type GroupIndex, type Values } from './columns/sumRows.ts';
import { withDays } from './columns/withDays.ts';
import { firstOf, nameOrder } from './costFigures.ts';
import type { CostQuestion } from './costQuestion.ts';
import type { CostContext } from './costs.ts';
import { testOf, type WorkflowNames } from './filters.ts';
import { findChangeEvents } from './whatChanged/events.ts';
import { nameEvents, needsRecords, type NamedEvent } from './whatChanged/firstJobs.ts';
import { originColumns } from './whatChanged/origin.ts';
import { findLastDays } from './workflows.queries.ts';

export type ChangeQuestion = Pick<CostQuestion, 'window' | 'groupBy' | 'filters' | 'limit' | 'ownersOn'> & {
  previousWindow: Window;
};

export type ChangeFigures = Parts & {
  costNanos: Nanos;
  previousNanos: Nanos;
  changeNanos: Nanos;
  jobs: bigint;
  previousJobs: bigint;
  minutes: bigint;
  previousMinutes: bigint;
};

/**
 * A `new` group had no jobs in the previous period; a `vanished` group has none in the current one. A `returned` workflow ran
 * before the previous period: only the largest are looked up.
 */
export const groupStatuses = ['continued', 'new', 'returned', 'vanished'] as const;
export type GroupStatus = (typeof groupStatuses)[number];

export type ChangedGroup = ChangeFigures & { values: Values; status: GroupStatus };

type GroupSum = { groups: number; changeNanos: Nanos };

export type CostChange = {
  period: Window;
  previousPeriod: Window;
  workflows: WorkflowNames;
  providers: CostContext['providers'];
  total: ChangeFigures;
  /** Sums of all groups with this status, listed or not. */
  new: GroupSum;
  vanished: GroupSum;
  /** Sorted by the size of the change, up or down. */
  groups: ChangedGroup[];
  other: (ChangeFigures & { groups: number }) | null;
  /** The groups that changed most, independent of the limit, for a summary. */
  leading: ChangedGroup[];
  /** What happened on which days, the largest first. */
  events: NamedEvent[];
};

const maxLeading = 20;

/**
 * Explains why the cost of the matching jobs differs between two periods. The parts of a group add up to its change,
 * and the changes of the groups to the total.
 */
export async function getChange(
  ctx: CostContext,
  question: ChangeQuestion,
  rule: AnomalyRule,
): Promise<CostChange> {
  const { window, previousWindow, groupBy, filters } = question;
  const windows = [window, previousWindow];
  const ofEvents = { ...question, groupBy: ['workflowId', 'job'] as const, filters: [] };
  const columns = [...useColumns, ...originColumns];
  const selection = { rowKind: 'jobs' as const, questions: [question, ofEvents], windows, columns };
  const { days, previousDays, workflows } = await withDays(ctx, [selection], async (all) => ({
    days: await all.read(selection, window),
    previousDays: await all.read(selection, previousWindow),
    workflows: all.workflows,
  }));
  const tests = filters.map((filter) => testOf(filter, workflows));
  const index = createGroupIndex(groupBy);
  const current = await usesByGroup(days, index, tests);
  const previous = await usesByGroup(previousDays, index, tests);
  const figures: ChangeFigures[] = [];
  for (let group = 0; group < index.size; group++) {
    figures.push(figuresOf(current.get(group) ?? [], previous.get(group) ?? []));
    if (group % groupsAtOnce === 0) await yieldToRequests();
  }
  const listed = await withReturned(ctx, question, listGroups(question, { index, figures, workflows }));
  const found = await findChangeEvents([...previousDays, ...days], { window, previousWindow, tests, rule });
  const events = found.some(needsRecords)
    ? await inSnapshot(ctx.db, (tx) => nameEvents(tx, ctx.actor.orgId, found, { window, previousWindow }))
    : found.map((event) => ({ ...event, firstJob: null }));
  const { providers } = ctx;
  return { period: window, previousPeriod: previousWindow, workflows, providers, events, ...listed };
}

const groupsAtOnce = 10_000;

type Changes = { index: GroupIndex; figures: readonly ChangeFigures[]; workflows: WorkflowNames };

function listGroups({ groupBy, limit }: ChangeQuestion, { index, figures, workflows }: Changes) {
  const total = together(figures);
  const ofGroups = groupBy.length === 0 ? [] : figures;
  const byName = nameOrder(groupBy, index, workflows);
  const sizes = ofGroups.map(({ changeNanos }) => magnitude(changeNanos));
  const bySize = (a: number, b: number) => compare(sizes[b]!, sizes[a]!) || byName(a, b);
  const largest = firstOf([...ofGroups.keys()], Math.max(limit, maxLeading), bySize).map((group) => {
    const own = figures[group]!;
    return { values: index.valuesOf(group), status: statusOf(own) as GroupStatus, ...own };
  });
  const groups = largest.slice(0, limit);
  const left = ofGroups.length - groups.length;
  return {
    total,
    new: sumOfStatus(ofGroups, 'new'),
    vanished: sumOfStatus(ofGroups, 'vanished'),
    groups,
    other: left === 0 ? null : { groups: left, ...without(total, groups) },
    leading: largest.slice(0, maxLeading),
  };
}

type Listed = ReturnType<typeof listGroups>;

async function withReturned(
  { db, actor }: CostContext,
  { groupBy, window }: ChangeQuestion,
  listed: Listed,
): Promise<Listed> {
  if (groupBy.join() !== 'workflowId') return listed;
  const added = new Set<string>();
  for (const { status, values } of [...listed.leading, ...listed.groups])
    if (status === 'new' && added.size < maxLeading) added.add(values[0]!);
  if (added.size === 0) return listed;
  const ran = await findLastDays(db, actor.orgId, [...added], window.start);
  const judged = (group: ChangedGroup): ChangedGroup =>
    group.status === 'new' && ran.has(group.values[0]!) ? { ...group, status: 'returned' } : group;
  return { ...listed, groups: listed.groups.map(judged), leading: listed.leading.map(judged) };
}

function figuresOf(current: readonly Use[], previous: readonly Use[]): ChangeFigures {
  const [costNanos, previousNanos] = [sumOf(current, 'costNanos'), sumOf(previous, 'costNanos')];
  return {
    costNanos,
    previousNanos,
    changeNanos: costNanos - previousNanos,
    jobs: sumOf(current, 'jobs'),
    previousJobs: sumOf(previous, 'jobs'),
    minutes: sumOf(current, 'minutes'),
    previousMinutes: sumOf(previous, 'minutes'),
    ...splitChange(current, previous),
  };
}

function statusOf({ jobs, previousJobs }: ChangeFigures): GroupStatus {
  if (previousJobs === 0n) return 'new';
  return jobs === 0n ? 'vanished' : 'continued';
}

function sumOfStatus(figures: readonly ChangeFigures[], status: GroupStatus): GroupSum {
  const found = figures.filter((each) => statusOf(each) === status);
  return { groups: found.length, changeNanos: sumOf(found, 'changeNanos') };
}

const noChange = figuresOf([], []);
const names = Object.keys(noChange) as (keyof ChangeFigures)[];

function together(figures: readonly ChangeFigures[]): ChangeFigures {
  const sum = { ...noChange };
  for (const each of figures) for (const name of names) sum[name] += each[name];
  return sum;
}

function without(total: ChangeFigures, parts: readonly ChangeFigures[]): ChangeFigures {
  const rest = { ...total };
  for (const each of parts) for (const name of names) rest[name] -= each[name];
  return rest;
}
