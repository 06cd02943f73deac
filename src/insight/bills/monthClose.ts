import { everyGroup, type Metric } from '../../ledger/costs/costQuestion.ts';
import { getCostsTogether } from '../../ledger/costs/costs.ts';
import { unowned } from '../../ledger/ownership/owners.ts';
import { dollars, inCents, signedDollars } from '../../platform/lib/amountTexts.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { dayOf, monthAround, monthInWords, type Window } from '../../platform/lib/days.ts';
import { invalid, notFound } from '../../platform/lib/errors.ts';
import { compare } from '../../platform/lib/lists.ts';
import { magnitude, usd, type Nanos } from '../../platform/lib/money.ts';
import { causeWords, isAgreed } from './causeWords.ts';
import { causes, type Cause } from './cells.ts';
import { compareBill } from './compareBill.ts';
import type { ReconcileContext } from './reconcile.ts';
import type { Reconciliation } from './rows.ts';

type Step = { key: string; title: string; about: string; amountNanos: Nanos };
type TeamCosts = { name: string; isTeam: boolean; costNanos: Nanos; netCostNanos: Nanos };

/** From what Runcost counted at list prices to what the month's bill has: `listed` plus all steps is `billed`. */
export type MonthClose = {
  month: string;
  period: Window;
  /** Whether it is over, and the bill has all of its days. */
  isClosed: boolean;
  sentence: string;
  daysWithoutReport: number;
  listedNanos: Nanos;
  netNanos: Nanos;
  billedNanos: Nanos;
  steps: Step[];
  /** The five most expensive, all others as one, and what no team owns. They add up to `listed` and `net`. */
  teams: TeamCosts[];
};

const monthPattern = /^20\d\d-(0[1-9]|1[0-2])$/;

export async function closeMonth(ctx: ReconcileContext, month: string): Promise<MonthClose> {
  if (!monthPattern.test(month)) throw notFound('month');
  const whole = monthAround(`${month}-01`);
  const today = dayOf(ctx.clock.now());
  if (whole.start > today) throw invalid('id', 'must not be in the future');
  const found = await compareBill(ctx, { by: 'month', from: whole.start, to: whole.end });
  if (!found.period) throw invalid('id', "must not be before your plan's history begins");
  const { period, totals, uncovered, otherProducts, daysWithoutReport } = found;
  const apart = otherProducts.reduce((sum, { netNanos }) => sum + netNanos, 0n);
  const teams = await teamsIn(ctx, period);
  const close = {
    month,
    period,
    isClosed: whole.end < today && period.days === whole.days && daysWithoutReport === 0,
    daysWithoutReport,
    listedNanos: totals.ourCostNanos + uncovered.costNanos,
    netNanos: teams.reduce((sum, { netCostNanos }) => sum + netCostNanos, 0n),
    billedNanos: totals.billNetNanos + apart,
    steps: stepsOf(found, apart),
    teams,
  };
  return { ...close, sentence: sentenceOf(close, whole.end >= today) };
}

function sentenceOf(close: Omit<MonthClose, 'sentence'>, isRunning: boolean): string {
  const { month, isClosed, daysWithoutReport: without, listedNanos, billedNanos, steps } = close;
  const amounts = `${dollars(billedNanos)} billed, ${dollars(listedNanos)} at list prices`;
  if (!isClosed) {
    const days = without === 1 ? '1 day has no bill report' : `${without} days have no bill report`;
    const why = isRunning ? 'it is not over' : without > 0 ? days : "your plan's history begins later";
    return `${monthInWords(month)} is not closed: ${why}. So far ${amounts}.`;
  }
  const cents = inCents(
    listedNanos,
    steps.map(({ amountNanos }) => amountNanos),
  );
  const rest = cents[steps.findIndex(({ key }) => key === 'unexplained')] ?? 0n;
  const difference = cents.reduce((sum, each) => sum + each, 0n);
  const of = difference === 0n ? '' : ` of the difference of ${signedDollars(difference)}`;
  const why = of === '' ? 'Both agree' : `Each cent${of} has a reason`;
  return `${monthInWords(month)} closed: ${amounts}. ${rest === 0n ? why : `${signedDollars(rest)}${of} is unexplained`}.`;
}

export function monthCloseView({ steps, teams, ...close }: MonthClose) {
  return {
    ...apiFields(close),
    difference: usd(close.billedNanos - close.listedNanos),
    steps: steps.map(apiFields),
    teams: teams.map(apiFields),
  };
}

const apartWords = {
  not_on_bill: {
    title: 'Not on this bill',
    about: 'Jobs of other CI systems, and of days and owners without a bill report.',
  },
  other_products: {
    title: 'Other products',
    about: 'Storage, AI credits, seats and whatever else is billed.',
  },
};

/** What the provider agreed to deduct comes before what did not match. */
function stepsOf({ totals, uncovered }: Reconciliation, apart: Nanos): Step[] {
  const explained = causes.toSorted(
    (a, b) =>
      Number(isAgreed(b)) - Number(isAgreed(a)) ||
      compare(magnitude(totals.parts[b]), magnitude(totals.parts[a])),
  );
  const steps: [key: keyof typeof apartWords | Cause | 'unexplained', amountNanos: Nanos][] = [
    ['not_on_bill', -uncovered.costNanos],
    ...explained.map((cause): [Cause, Nanos] => [cause, -totals.parts[cause]]),
    ['unexplained', -totals.unexplainedNanos],
    ['other_products', apart],
  ];
  return steps
    .filter(([, amountNanos]) => amountNanos !== 0n)
    .map(([key, amountNanos]) => ({ key, ...{ ...causeWords, ...apartWords }[key], amountNanos }));
}

const maxTeams = 5;

async function teamsIn(ctx: ReconcileContext, window: Window): Promise<TeamCosts[]> {
  const ask = (metric: Metric) => ({
    metric,
    window,
    groupBy: ['team'] as const,
    filters: [],
    ...everyGroup,
  });
  const [costs, nets] = await getCostsTogether(ctx, [ask('cost'), ask('net_cost')]);
  const netOf = new Map(nets!.groups.map(({ values: [team], value }) => [team ?? null, value]));
  const all = costs!.groups.map(({ values: [team], value }) => {
    return { team: team ?? null, costNanos: value, netCostNanos: netOf.get(team ?? null) ?? 0n };
  });
  const owned = all.filter(({ team }) => team !== null);
  const rest = owned.slice(maxTeams);
  const others = rest.length === 1 ? '1 other team' : `${rest.length} other teams`;
  return [
    ...owned.slice(0, maxTeams).map(({ team, ...sums }) => ({ name: team!, isTeam: true, ...sums })),
    ...summed(others, rest),
    ...summed(
      unowned,
      all.filter(({ team }) => team === null),
    ),
  ];
}

function summed(name: string, parts: readonly Pick<TeamCosts, 'costNanos' | 'netCostNanos'>[]): TeamCosts[] {
  if (parts.length === 0) return [];
  const sum = (key: 'costNanos' | 'netCostNanos') => parts.reduce((total, part) => total + part[key], 0n);
  return [{ name, isTeam: false, costNanos: sum('costNanos'), netCostNanos: sum('netCostNanos') }];
}
