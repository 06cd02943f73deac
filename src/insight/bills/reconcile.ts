import type { Context } from '../../context.ts';
import { allDays, openBill, ownerOf, type Bill, type BilledLine } from '../../ledger/bills/billed.ts';
import { clip, countUncovered, piecesOf } from '../../ledger/bills/coverage.ts';
import { findCoverages } from '../../ledger/bills/reports.ts';
import { skuOfKind } from '../../ledger/bills/skus.ts';
import { getCosts, type CostContext } from '../../ledger/costs/costs.ts';
import { coveredClasses } from '../../ledger/pricing/netCost.ts';
import type { Providers } from '../../ledger/pricing/provider.ts';
import { listTerms, termsAt, type BillingTerms } from '../../ledger/pricing/terms.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { addDays, dayOf, windowBetween, type Day, type Window } from '../../platform/lib/days.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { yieldToRequests } from '../../platform/lib/turns.ts';
import { historyDays } from '../../tenancy/organizations/plans.ts';
import { cellsOf, shiftsOf, unpriced, type Cell, type Cells, type Crossed, type OurNet } from './cells.ts';
import { explainDay, type DayTerms, type HadPriced } from './explainDay.ts';
import {
  findBilledPeriod,
  findCrossedMinutes,
  findFigures,
  findFirstDay,
  findOurMinutes,
  findPricedRunners,
  type OurMinutes,
  type PricedRunner,
} from './reconciliation.queries.ts';
import {
  collectRows,
  noSums,
  type Collector,
  type Grouping,
  type Reconciliation,
  type RowsAsked,
} from './rows.ts';

export type Asked = RowsAsked & {
  from?: Day | undefined;
  to?: Day | undefined;
};

export type ReconcileContext = Pick<Context, 'db' | 'actor' | 'clock' | 'providers'> &
  CostContext & { plan: Plan };

export type MonthsContext = Pick<ReconcileContext, 'db' | 'actor' | 'clock' | 'plan'>;

type Work = {
  ctx: ReconcileContext;
  asked: Asked;
  bill: Bill;
  firstDay: Day | null;
  collected: Collector;
  hadPriced: () => Promise<HadPriced>;
  terms: readonly BillingTerms[];
};

type Piece = { start: Day; end: Day };

/** Short pieces let other queries and requests run in between. */
const daysPerPiece = 3;

/** Compares recorded costs with imported reports and explains the differences. */
export async function reconcile(ctx: ReconcileContext, asked: Asked): Promise<Reconciliation> {
  const { db, actor } = ctx;
  const billed = await findBilledPeriod(db, actor.orgId);
  const period = periodOf(ctx, asked, billed);
  const result: Reconciliation = {
    period,
    firstBilledDay: billed?.start ?? null,
    rows: [],
    totals: noSums(),
    daysWithoutReport: 0,
    uncovered: {
      minutes: 0n,
      costNanos: 0n,
    },
    otherProducts: [],
  };
  if (!period) return result;
  const wider = widened(period);
  const bill = await openBill(db, actor.orgId, wider);
  const collected = collectRows(asked, bill);
  const firstDay = await findFirstDay(db, actor.orgId);
  let priced: Promise<HadPriced> | undefined;
  const hadPriced = () => (priced ??= findPricedRunners(db, actor.orgId).then(hadPricedBy));
  const terms = await listTerms(ctx);
  const work = { ctx, asked, bill, firstDay, collected, hadPriced, terms };
  for (const piece of piecesOf(period, daysPerPiece)) await addPiece(work, piece);
  for (const piece of piecesOf(period, daysPerPiece)) {
    const others = { per: 'day', only: 'others', repository: asked.repository } as const;
    collected.addOthers(await bill.read(db, piece, others));
  }
  const daysWithoutReport = countUncovered(clip(bill.decided, period), period);
  return { ...result, ...collected.result(), daysWithoutReport };
}

/** Changes when the reports or costs of these days change, but not when a repository becomes public. */
export async function findVersion(ctx: ReconcileContext, asked: Asked): Promise<unknown> {
  const { db, actor } = ctx;
  const period = periodOf(ctx, asked, await findBilledPeriod(db, actor.orgId));
  if (!period) return null;
  const wider = widened(period);
  return {
    period,
    // A report of other days can decide which owners have one.
    coverages: await findCoverages(db, actor.orgId, allDays),
    firstDay: await findFirstDay(db, actor.orgId),
    figures: await findFigures(db, actor.orgId, wider),
    terms: await listTerms({ db, actor }),
  };
}

/** A job at midnight can be on another day of the bill. */
export function widened({ start, end }: Piece): Piece {
  return { start: addDays(start, -1), end: addDays(end, 1) };
}

const maxDays: Record<Grouping, number> = { all: 93, day: 366, month: 366, sku: 366, repository: 366 };

function requireDay(field: string, day: Day | undefined): void {
  if (day && !day.startsWith('20')) throw invalid(field, 'must be from 2000-01-01 to 2099-12-31');
}

export function periodOf({ clock, plan }: MonthsContext, asked: Asked, billed: Piece | null): Window | null {
  const { from, to, by } = asked;
  requireDay('from', from);
  requireDay('to', to);
  const first = from ?? billed?.start;
  const last = to ?? billed?.end;
  if (first === undefined || last === undefined) return null;
  // A mistyped date in a report can be years ahead.
  const today = dayOf(clock.now());
  if (from && from > today) throw invalid('from', `must not be after today, ${today}`);
  if (first > today) return null;
  const end = last < today ? last : today;
  const most = maxDays[by];
  const earliest = addDays(end, 1 - most);
  const start = from ?? (first > earliest ? first : earliest);
  if (start > end)
    throw invalid('from', `must not be after ${to ? '`to`' : `the last day of the bill, ${end}`}`);
  const window = windowBetween(start, end);
  if (window.days > most) {
    throw invalid('from', `must be at most ${most} days before \`to\`${by === 'all' ? ' with by=all' : ''}`);
  }
  const oldest = addDays(dayOf(clock.now()), 1 - historyDays[plan]);
  if (end < oldest) return null;
  return start < oldest ? windowBetween(oldest, end) : window;
}

type Found = { all: OurMinutes[]; nets: OurNet[]; billed: BilledLine[]; isWhole: boolean };

const maxCells = 50_000;

async function readPiece(work: Work, piece: Piece, repository?: string): Promise<Found | null> {
  const { db, actor } = work.ctx;
  const wider = widened(piece);
  const narrowed = { repository, limit: maxCells + 1 };
  const billed = await work.bill.read(db, wider, { per: 'day', only: 'compute', ...narrowed });
  if (billed.length > maxCells) return null;
  const all = await findOurMinutes(db, actor.orgId, wider, narrowed);
  if (all.length > maxCells) return null;
  return { all, nets: await findNets(work.ctx, wider), billed, isWhole: repository === undefined };
}

/** Our net cost by day, repository and runner, of runs that may be GitHub's. */
async function findNets(ctx: ReconcileContext, { start, end }: Piece): Promise<OurNet[]> {
  const { groups } = await getCosts(ctx, {
    window: windowBetween(start, end),
    groupBy: ['repository', 'runner'],
    filters: [{ dimension: 'provider', values: ['=github', '=api'] }],
    metric: 'net_cost',
    granularity: 'day',
    compare: 'none',
    sort: 'name',
    limit: Infinity,
  });
  return groups.flatMap(({ values: [repository, runnerKind], series }) =>
    series.map(({ start: day, value }) => {
      return { day, repository: repository!, runnerKind: runnerKind ?? unpriced, netNanos: value };
    }),
  );
}

async function addPiece(work: Work, piece: Piece): Promise<void> {
  const { asked } = work;
  let found = await readPiece(work, piece);
  if (!found && piece.start < piece.end) {
    for (const day of piecesOf(piece, 1)) await addPiece(work, day);
    return;
  }
  if (!found && asked.repository) found = await readPiece(work, piece, asked.repository);
  if (!found) throw tooManyCells(piece.start, asked.repository !== undefined);
  await explainPiece(work, piece, found);
}

function termsOn({ ctx, terms }: Work, day: Day): DayTerms {
  const held = termsAt(terms, 'github', day, ctx.providers);
  const coversLarger = coveredClasses(held?.included ?? null).includes('charged');
  return { discount: held?.discount ?? 0, coversLarger };
}

function tooManyCells(day: Day, isNarrowed: boolean): Error {
  const help = isNarrowed
    ? 'must be a longer part of their names'
    : 'must be given, as a part of their names';
  return invalid('repository', `${help}: there are more than ${maxCells} amounts around ${day}`);
}

async function explainPiece(work: Work, piece: Piece, { all, nets, billed, isWhole }: Found): Promise<void> {
  const { ctx, collected, firstDay } = work;
  const { covered, repositoryOf } = work.bill;
  const isCompared = (ours: OurMinutes) =>
    isOfGitHub(ours, ctx.providers) && covered.isCovered(ownerOf(ours.repository), ours.day);
  const inPiece = (day: Day) => piece.start <= day && day <= piece.end;
  for (const ours of all) if (inPiece(ours.day) && !isCompared(ours)) collected.addUncovered(ours);
  const ours = all.filter(isCompared);
  const organizationOf = (repository: string) => covered.organizationOf(ownerOf(repository));
  collected.addSpellings([...ours, ...billed].map(({ repository }) => repository));
  const cells = cellsOf({ ours, nets, billed }, repositoryOf);
  const crossed: Crossed = new Map();
  for (const day of cells.keys()) {
    if (!mayBeShifted(cells, day)) continue;
    crossed.set(day, crossedOf(await findCrossedMinutes(ctx.db, ctx.actor.orgId, day)));
  }
  // Read only if runners compete for a cause, because it reads all days.
  const hadPriced = hasCompetition(cells) ? await work.hadPriced() : undefined;
  for (const [day, repositories] of cells) {
    if (!inPiece(day)) continue;
    const isConnected = firstDay !== null && firstDay <= day;
    const shiftOf = shiftsOf(cells, crossed, day);
    for (const ofOne of Map.groupBy(repositories, ([repository]) => organizationOf(repository)).values()) {
      const compared = new Map(ofOne.map(([repository, bySku]) => [repository, [...bySku.values()]]));
      const terms = termsOn(work, day);
      const explained = explainDay(compared, { terms, shiftOf, hadPriced, isConnected, isWhole });
      for (const [repository, list] of explained) collected.addCells(day, repository, list);
      await yieldToRequests();
    }
  }
}

/** Runs from the API may be GitHub's. Other providers are not on GitHub's bill. */
function isOfGitHub({ provider, runnerKind }: OurMinutes, providers: Providers): boolean {
  if (provider !== null && provider !== 'github' && provider !== 'api') return false;
  return (providers.ofKind(runnerKind)?.id ?? 'github') === 'github';
}

function mayBeShifted(cells: Cells, day: Day): boolean {
  const before = cells.get(addDays(day, -1));
  if (!before) return false;
  return [...(cells.get(day) ?? [])].some(([repository, bySku]) =>
    [...bySku.values()].some(({ sku, ours, bill }) => {
      if (ours.minutesNanos <= bill.minutesNanos) return false;
      const other = before.get(repository)?.get(sku);
      return other !== undefined && other.bill.minutesNanos > other.ours.minutesNanos;
    }),
  );
}

function hasCompetition(cells: Cells): boolean {
  const isMore = ({ ours, bill }: Cell) => bill.minutesNanos > ours.minutesNanos;
  return [...cells.values()].some((repositories) =>
    [...repositories.values()].some((bySku) => [...bySku.values()].filter(isMore).length > 1),
  );
}

function hadPricedBy(runners: readonly PricedRunner[]): HadPriced {
  const keys = new Set(
    runners.map(({ repository, runnerKind }) => `${repository.toLowerCase()}/${skuOfKind(runnerKind)}`),
  );
  return (repository, sku) => keys.has(`${repository}/${sku}`);
}

function crossedOf(rows: Awaited<ReturnType<typeof findCrossedMinutes>>): Map<string, bigint> {
  const minutes = new Map<string, bigint>();
  for (const row of rows) {
    const key = `${row.repository.toLowerCase()}/${skuOfKind(row.runnerKind)}`;
    minutes.set(key, (minutes.get(key) ?? 0n) + row.minutes * 1_000_000_000n);
  }
  return minutes;
}
