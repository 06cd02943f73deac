import type { Context } from '../../context.ts';
import { findWorkflowNames, getCosts, type CostContext } from '../../ledger/costs/costs.ts';
import { findUnusualDays, findUnusualRule } from '../../ledger/costs/unusualDays.ts';
import { coveredClasses, chargeOf } from '../../ledger/pricing/netCost.ts';
import { findPriceList } from '../../ledger/pricing/priceList.ts';
import { getShadowRates } from '../../ledger/pricing/shadow.ts';
import { listTerms, termsAt } from '../../ledger/pricing/terms.ts';
import { findRecordedDays, listJobDays, newestDays } from '../../ledger/runs/reading.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { slicesOf, windowBetween, type Day, type Window } from '../../platform/lib/days.ts';
import { planWindow } from '../../tenancy/organizations/plans.ts';
import { asPaid, decide, type Move, type Paying, type Staying } from './decide.ts';
import { jobsOf } from './jobs.ts';
import { findTimedCells, type TimedCell } from './queries.ts';
import type { PriceBasis } from './runners.ts';

export type MovesContext = Context & Pick<CostContext, 'log'> & { plan: Plan };

type Asked = { days: number; workflowId?: string | undefined; repo?: string | undefined };

type Names = Awaited<ReturnType<typeof findWorkflowNames>>;

export type Moves = {
  period: Window;
  /** Whether nothing is recorded of the days before, which were asked for too. */
  isYoung: boolean;
  leftOutDays: Day[];
  moves: Move[];
  staying: Staying[];
  /** Whether included minutes pay all that they can pay. */
  isCovered: boolean;
  names: Names;
  basis: PriceBasis;
};

const maxDays = 90;
/** They limit the memory and the time of a read. Jobs of the whole organization, because the days know no others. */
const jobsPerRead = 10_000;
const maxJobs = 200_000;
const maxJobsIfFiltered = 500_000;

export async function getMoves(ctx: MovesContext, { days, workflowId, repo }: Asked): Promise<Moves> {
  const { db, actor, clock, plan } = ctx;
  const whole = planWindow(clock.now(), plan, Math.min(days, maxDays));
  const first = (await findRecordedDays(ctx))?.first ?? whole.start;
  const isYoung = first > whole.start && first <= whole.end;
  const asked = isYoung ? windowBetween(first, whole.end) : whole;
  const names = namesIn(await findWorkflowNames(db, actor.orgId), { workflowId, repo });
  const isFiltered = workflowId !== undefined || repo !== undefined;
  const ids = isFiltered ? [...names.keys()] : null;
  const { period, cells } = await readCells(ctx, asked, ids);
  const used = [...new Set(cells.map((cell) => cell.workflowId))];
  const rule = await findUnusualRule(ctx);
  const leftOut = await findUnusualDays(db, actor.orgId, used, { window: period, rule });
  const basis: PriceBasis = {
    list: await findPriceList(ctx, actor.orgId),
    shadowRates: await getShadowRates(ctx),
    day: period.end,
  };
  const jobs = jobsOf(cells, { basis, window: period, leftOut });
  const { moves, staying } = await decide(jobs, basis);
  const paying = await findPaying(ctx, period);
  return {
    period,
    isYoung: isYoung && period.start === first,
    leftOutDays: [...new Set([...leftOut.values()].flat())].toSorted(),
    moves: asPaid(moves, paying),
    staying,
    isCovered: paying.pools.some(({ paidNanos }) => paidNanos === 0n),
    names,
    basis,
  };
}

function namesIn(names: Names, { workflowId, repo }: Pick<Asked, 'workflowId' | 'repo'>): Names {
  const wanted = repo?.toLowerCase();
  return new Map(
    [...names].filter(([id, { repository }]) => {
      const full = repository.toLowerCase();
      const isOfRepository = wanted === undefined || wanted === full || wanted === full.split('/').at(-1);
      return isOfRepository && (workflowId === undefined || workflowId === id);
    }),
  );
}

/** The newest days with at most so many jobs, in pieces. */
export async function readCells(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  asked: Window,
  workflowIds: readonly string[] | null,
): Promise<{ period: Window; cells: TimedCell[] }> {
  const jobDays = await listJobDays({ db, actor }, asked);
  const counts = jobDays.map(({ day, jobs }) => ({ day, runs: jobs })).toReversed();
  const period = newestDays(asked, counts, workflowIds === null ? maxJobs : maxJobsIfFiltered);
  const days = workflowIds?.length === 0 ? [] : jobDays.filter(({ day }) => day >= period.start);
  const cells: TimedCell[] = [];
  for (const slice of slicesOf(days, jobsPerRead))
    cells.push(...(await findTimedCells(db, actor.orgId, { slice, workflowIds })));
  return { period, cells };
}

/** What the organization pays of list cost, by the terms of the last day and what included minutes left of the period. */
async function findPaying(ctx: MovesContext, period: Window): Promise<Paying> {
  const { providers } = ctx;
  const terms = await listTerms(ctx);
  const held = providers.list.map((provider) => ({
    provider,
    terms: termsAt(terms, provider.id, period.end, providers),
  }));
  const included = held.filter(({ terms: own }) => own?.included);
  const net = included.length === 0 ? [] : await netByRunner(ctx, period);
  return {
    pools: included.map(({ provider, terms: own }) => {
      const classes = coveredClasses(own!.included);
      const covers = (kind: string | null) => {
        const charge = chargeOf({ provider: provider.id, runnerKind: kind, isFree: false }, providers);
        return charge !== null && classes.includes(charge.class);
      };
      const paid = net.reduce((sum, { kind, nanos }) => sum + (covers(kind) ? nanos : 0n), 0n);
      return { covers, paidNanos: (paid * 30n) / BigInt(period.days) };
    }),
    paidShare: ({ kind }) => {
      const own = held.find(
        ({ provider }) =>
          chargeOf({ provider: provider.id, runnerKind: kind, isFree: false }, providers) !== null,
      );
      return 10_000n - BigInt(own?.terms?.discount ?? 0);
    },
  };
}

async function netByRunner(ctx: MovesContext, window: Window) {
  const { groups } = await getCosts(ctx, {
    window,
    groupBy: ['runner'],
    filters: [],
    metric: 'net_cost',
    granularity: 'total',
    compare: 'none',
    sort: '-value',
    limit: 1_000,
  });
  return groups.map(({ values: [kind = null], value }) => ({ kind, nanos: value }));
}
