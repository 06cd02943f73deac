import type { Plan } from '../lib/actor.ts';
import { addDays, dayOf, windowBetween, type Day, type Window } from '../lib/days.ts';
import { invalid } from '../lib/errors.ts';
import type { Context } from '../organizations/context.ts';
import { isGitLabKind } from '../pricing/runnerKind.ts';
import { historyDays } from '../runs/planWindow.ts';
import { cellsOf, type Cells } from './cells.ts';
import { coveredDays, decideCoverage, type Coverage } from './coverage.ts';
import {
  collectRows,
  noSums,
  type Collector,
  type Grouping,
  type Row,
  type RowsAsked,
  type Sums,
} from './collectRows.ts';
import { explainDay } from './explainDay.ts';
import {
  findBilledMinutes,
  findBilledPeriod,
  findCoverages,
  findCrossedMinutes,
  findOtherBilled,
  findOurMinutes,
  findRepositories,
  piecesOf,
  type OtherBilled,
  type OurMinutes,
} from './reconciliation.queries.ts';
import { shiftsOf, type Crossed } from './shifts.ts';
import { skuOfKind } from './skus.ts';

export type Asked = RowsAsked & {
  /** Without them, the days that imported reports are about. */
  from?: Day | undefined;
  to?: Day | undefined;
};

export type Reconciliation = {
  period: Window | null;
  rows: Row[];
  totals: Sums;
  /** Days of the period that no report covers; they are not compared. */
  daysWithoutReport: number;
  /** What we have of days, owners and CI systems that no report covers. */
  uncovered: { minutes: bigint; costNanos: bigint };
  /** What the bill has besides minutes of GitHub Actions. */
  otherProducts: OtherBilled[];
};

export type ReconcileContext = Pick<Context, 'db' | 'actor' | 'clock'> & { plan: Plan };

/** Few, so that neither the database nor this thread is kept from others for long. */
const daysAPiece = 3;

/** Compares what we have recorded with the imported reports, and explains the differences. */
export async function reconcile(ctx: ReconcileContext, asked: Asked): Promise<Reconciliation> {
  const { db, actor } = ctx;
  const period = await periodOf(ctx, asked);
  const result: Reconciliation = {
    ...{ period, rows: [], totals: noSums(), daysWithoutReport: 0 },
    ...{ uncovered: { minutes: 0n, costNanos: 0n }, otherProducts: [] },
  };
  if (!period) return result;
  // Jobs at midnight may stand on the next day with us, and on the day before on the bill.
  const wider = windowBetween(addDays(period.start, -1), addDays(period.end, 1));
  const decided = decideCoverage(await findCoverages(db, actor.orgId, wider), wider);
  const collected = collectRows(asked, namesOf(await findRepositories(db, actor.orgId)));
  for (const piece of piecesOf(period, daysAPiece)) await addPiece(ctx, decided, piece, collected);
  const inPeriod = clip(decided, period);
  for (const piece of piecesOf(period, daysAPiece)) {
    collected.addOthers(await findOtherBilled(db, actor.orgId, clip(inPeriod, piece)));
  }
  return { ...result, ...collected.result(), daysWithoutReport: countUncovered(inPeriod, period) };
}

const mostDays: Record<Grouping, number> = { all: 93, day: 366, sku: 366, repository: 366 };

async function periodOf({ db, actor, clock, plan }: ReconcileContext, asked: Asked): Promise<Window | null> {
  const { from, to, by } = asked;
  const billed = from && to ? null : await findBilledPeriod(db, actor.orgId);
  if (!billed && !(from && to)) return null;
  const end = to ?? billed!.end;
  const most = mostDays[by];
  const earliest = addDays(end, 1 - most);
  const start = from ?? (billed!.start > earliest ? billed!.start : earliest);
  if (start > end)
    throw invalid('query.from', `must not be after ${to ? '`to`' : `the last day of the bill, ${end}`}`);
  const window = windowBetween(start, end);
  if (window.days > most)
    throw invalid('query.from', `must be at most ${most} days before \`to\` with by=${by}`);
  const oldest = addDays(dayOf(clock.now()), 1 - historyDays[plan]);
  if (end < oldest) return null;
  return start < oldest ? windowBetween(oldest, end) : window;
}

async function addPiece(
  { db, actor: { orgId } }: ReconcileContext,
  decided: readonly Coverage[],
  piece: { start: Day; end: Day },
  collected: Collector,
): Promise<void> {
  const wider = windowBetween(addDays(piece.start, -1), addDays(piece.end, 1));
  const billed = await findBilledMinutes(db, orgId, clip(decided, wider));
  const isCovered = coveredDays(decided);
  const all = await findOurMinutes(db, orgId, wider);
  const isCompared = (ours: OurMinutes) => isOfGitHub(ours) && isCovered(ownerOf(ours.repository), ours.day);
  const inPiece = (day: Day) => piece.start <= day && day <= piece.end;
  for (const ours of all) if (inPiece(ours.day) && !isCompared(ours)) collected.addUncovered(ours);
  const ours = all.filter(isCompared);
  collected.noteSpelling([
    ...ours.map(({ repository }) => repository),
    ...billed.map(({ repository }) => repository),
  ]);
  const cells = cellsOf(ours, billed, collected.repositoryOf);
  const crossed: Crossed = new Map();
  for (const day of cells.keys()) {
    if (!mayBeShifted(cells, day)) continue;
    crossed.set(day, crossedOf(await findCrossedMinutes(db, orgId, day)));
  }
  const shifts = shiftsOf(cells, crossed);
  for (const [day, repositories] of cells) {
    if (!inPiece(day)) continue;
    for (const [repository, list] of repositories) {
      const explained = explainDay(list, (cell) => shifts(day, repository, cell));
      collected.addCells(day, repository, explained);
    }
  }
}

/** Runs that programs submit may be of GitHub Actions; GitLab's are not on GitHub's bill. */
function isOfGitHub({ provider, runnerKind }: OurMinutes): boolean {
  return (provider === null || provider === 'github' || provider === 'api') && !isGitLabKind(runnerKind);
}

/** Whether the day has minutes beyond the bill's while the bill has minutes beyond ours the day before. */
function mayBeShifted(cells: Cells, day: Day): boolean {
  const before = cells.get(addDays(day, -1));
  if (!before) return false;
  return [...(cells.get(day) ?? [])].some(([repository, list]) =>
    list.some(({ sku, ours, bill }) => {
      if (ours.minutesNanos <= bill.minutesNanos) return false;
      const other = before.get(repository)?.find((cell) => cell.sku === sku);
      return other !== undefined && other.bill.minutesNanos > other.ours.minutesNanos;
    }),
  );
}

function crossedOf(rows: Awaited<ReturnType<typeof findCrossedMinutes>>): Map<string, bigint> {
  const minutes = new Map<string, bigint>();
  for (const row of rows) {
    const key = `${row.repository.toLowerCase()}/${skuOfKind(row.runnerKind)}`;
    minutes.set(key, (minutes.get(key) ?? 0n) + row.minutes * 1_000_000_000n);
  }
  return minutes;
}

function clip(coverages: readonly Coverage[], { start, end }: { start: Day; end: Day }): Coverage[] {
  return coverages
    .filter(({ firstDay, lastDay }) => firstDay <= end && lastDay >= start)
    .map((coverage) => ({
      ...coverage,
      firstDay: coverage.firstDay > start ? coverage.firstDay : start,
      lastDay: coverage.lastDay < end ? coverage.lastDay : end,
    }));
}

function countUncovered(decided: readonly Coverage[], period: Window): number {
  const covered = new Set<Day>();
  for (const { product, firstDay, lastDay } of decided) {
    if (product !== 'actions') continue;
    for (let day = firstDay; day <= lastDay; day = addDays(day, 1)) covered.add(day);
  }
  return period.days - covered.size;
}

function ownerOf(repository: string): string {
  return repository.includes('/') ? repository.slice(0, repository.indexOf('/')).toLowerCase() : '';
}

/** Full names by bare ones; null where several owners have a repository of that name. */
function namesOf(repositories: readonly string[]): Map<string, string | null> {
  const names = new Map<string, string | null>();
  for (const repository of repositories) {
    const bare = repository.slice(repository.lastIndexOf('/') + 1).toLowerCase();
    names.set(bare, names.has(bare) ? null : repository);
  }
  return names;
}
