import type { Day } from '../../platform/lib/days.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { fraction, type Fraction } from '../../platform/lib/fractions.ts';
import { formatNanos, toNanos } from '../../platform/lib/money.ts';
import { unitNanosOn, type Provider, type Providers } from './provider.ts';
import { planAllowance, type Draw, type GitHubPlan, type IncludedUnit } from './publishedTerms.ts';

/** What an organization chose: the amount of a plan, or one of its own. */
export type ChosenIncluded = {
  githubPlan: GitHubPlan | null;
  unit: IncludedUnit;
  /** Null with a plan, and in the other unit. */
  minutes: number | null;
  usdNanos: bigint | null;
  draw: Draw;
};

/** What is included per month by the facts of a day. */
export type Included = {
  githubPlan: GitHubPlan | null;
  /** Minutes although dollars are chosen before the first day on which the plan includes dollars. */
  unit: IncludedUnit;
  /** Of dollars: the whole minutes that they buy on the unit kind. */
  minutes: number;
  /** Null if minutes are included. */
  usdNanos: bigint | null;
  draw: Draw;
  /** In minutes on the unit kind. */
  allowance: Fraction;
};

export type IncludedInput = {
  github_plan?: GitHubPlan | null;
  unit?: IncludedUnit;
  minutes?: number;
  usd?: number | null;
  draw?: Draw;
};

export function includedOn(
  { githubPlan, unit: chosenUnit, draw, ...own }: ChosenIncluded,
  provider: string,
  day: Day,
  providers: Providers,
): Included | null {
  const { allowance } = providers.of(provider)!;
  const planned = (unit: IncludedUnit) =>
    githubPlan && allowance && planAllowance(allowance, { plan: githubPlan, unit }, day);
  const plan = planned(chosenUnit) ?? planned('minutes');
  if (githubPlan !== null && !plan) return null;
  const unit = plan?.unit ?? chosenUnit;
  if (unit === 'minutes') {
    const minutes = plan ? Number(plan.perMonth) : own.minutes!;
    return { githubPlan, unit, minutes, usdNanos: null, draw, allowance: fraction(BigInt(minutes)) };
  }
  const usdNanos = plan?.perMonth ?? own.usdNanos!;
  const unitNanos = unitNanosOn(providers, provider, day);
  return {
    githubPlan,
    unit,
    minutes: Number(usdNanos / unitNanos),
    usdNanos,
    draw,
    allowance: fraction(usdNanos, unitNanos),
  };
}

export function includedView(included: Included | null) {
  if (included === null) return null;
  const { githubPlan, unit, minutes, usdNanos, draw } = included;
  const usd = usdNanos === null ? null : Number(formatNanos(usdNanos));
  return { github_plan: githubPlan, minutes, unit, usd, draw };
}

/** Also accepts the response of GET, which names the amounts of a plan and the minutes of dollars. */
export function readIncluded(
  input: IncludedInput | null,
  { title, allowance }: Provider,
): ChosenIncluded | null {
  if (input === null) return null;
  if (allowance === null)
    throw invalid('included_minutes', `must be null for ${title}, which includes none that we know`);
  const { github_plan: githubPlan = null, unit = 'minutes', usd = null, draw = 'list_price_ratio' } = input;
  if (unit === 'usd' && draw !== 'list_price_ratio')
    throw invalid('included_minutes.draw', 'must be list_price_ratio with unit usd');
  if (unit === 'minutes' && usd !== null) throw invalid('included_minutes.usd', 'needs unit usd');
  if (!allowance.draws.some((each) => each.draw === draw))
    throw invalid(
      'included_minutes.draw',
      `must be one of these for ${title}: ${[...new Set(allowance.draws.map((each) => each.draw))].join(', ')}`,
    );
  const ownMinutes = unit === 'minutes' ? input.minutes : undefined;
  if (githubPlan === null) return { githubPlan, unit, draw, ...ownAmount(unit, ownMinutes, usd) };
  if (allowance.plans.length === 0)
    throw invalid('included_minutes.github_plan', `must be null for ${title}: give minutes`);
  const amounts = allowance.plans.filter((each) => each.plan === githubPlan && each.unit === unit);
  const [field, given] =
    unit === 'usd'
      ? (['usd', usd === null ? null : toNanos(usd)] as const)
      : (['minutes', ownMinutes === undefined ? null : BigInt(ownMinutes)] as const);
  if (given !== null && !amounts.some(({ perMonth }) => perMonth === given)) {
    const known = unit === 'usd' ? `$${formatNanos(amounts.at(-1)!.perMonth)}` : amounts.at(-1)!.perMonth;
    const message = `cannot be combined with the plan ${githubPlan}, which includes ${known}`;
    throw invalid(`included_minutes.${field}`, message);
  }
  return { githubPlan, unit, draw, minutes: null, usdNanos: null };
}

function ownAmount(
  unit: IncludedUnit,
  minutes: number | undefined,
  usd: number | null,
): Pick<ChosenIncluded, 'minutes' | 'usdNanos'> {
  if (unit === 'minutes') {
    if (minutes === undefined) throw invalid('included_minutes.minutes', 'is required without github_plan');
    return { minutes, usdNanos: null };
  }
  if (usd === null) throw invalid('included_minutes.usd', 'is required with unit usd, without github_plan');
  const usdNanos = toNanos(usd);
  if (usdNanos === null) throw invalid('included_minutes.usd', 'must have at most nine decimals');
  return { minutes: null, usdNanos };
}
