import type { Day } from '../../platform/lib/days.ts';
import type { Fraction } from '../../platform/lib/fractions.ts';

/** A fact about a provider's bill, and the days on which it holds. A later fact about the same thing replaces it. */
export type Fact = {
  title: string;
  firstDay: Day;
  lastDay: Day | null;
  source: string;
  checkedOn: Day;
  /** `assumed` is our default although the provider does not document it; a `hint` counts only if it is chosen. */
  status: 'published' | 'assumed' | 'hint';
};

export type JudgedRun = { isPrivate: boolean | null; workflowPath: string | null };

/** Runs whose standard runners the provider does not bill. */
export type FreeUse = Fact & { covers: (run: JudgedRun) => boolean };

export const gitHubPlans = ['free', 'pro', 'team', 'enterprise'] as const;
export type GitHubPlan = (typeof gitHubPlans)[number];

/** Dollars at list price, which larger runners use too, or minutes, which only standard runners use. */
export const includedUnits = ['minutes', 'usd'] as const;
export type IncludedUnit = (typeof includedUnits)[number];

export type PlanAllowance = Fact & { plan: GitHubPlan; unit: IncludedUnit; perMonth: bigint };

/** What plans include beside compute, with its words: storage in GB, kept all month, and credits. */
export const allowedProducts = {
  artifacts: { title: 'Artifact storage', unit: 'gb_hours' },
  packages: { title: 'Package storage', unit: 'gb_hours' },
  ai_credits: { title: 'AI credits', unit: 'credits' },
} as const;
export type AllowedProduct = keyof typeof allowedProducts;

/** Without a plan of GitHub: what each license includes, so an organization states the sum of its own. */
export type ProductAllowance = Fact & {
  product: AllowedProduct;
  plan: GitHubPlan | null;
  /** In billionths of a GB or a credit. */
  perMonthNanos: bigint;
};

/** How many included minutes a minute on another runner than the unit kind uses. */
export const draws = [
  'list_price_ratio',
  'legacy_multipliers',
  'open_source_program',
  'open_source_forks',
] as const;
export type Draw = (typeof draws)[number];

export type DrawRule = Fact & {
  draw: Draw;
  /** By operating system. Null if the list prices decide. */
  multipliers: Readonly<Record<string, bigint>> | null;
  /** What a minute of a public project uses instead, on any runner. */
  ofPublicProjects?: Fraction;
};

export type PublishedTerms = {
  freeUses: readonly FreeUse[];
  plans: readonly PlanAllowance[];
  draws: readonly DrawRule[];
  products: readonly ProductAllowance[];
};

export function holdsOn({ firstDay, lastDay }: Pick<Fact, 'firstDay' | 'lastDay'>, day: Day): boolean {
  return firstDay <= day && (lastDay === null || day <= lastDay);
}

export function planAllowance(
  { plans }: PublishedTerms,
  { plan, unit }: Pick<PlanAllowance, 'plan' | 'unit'>,
  day: Day,
): PlanAllowance | null {
  return plans.findLast((each) => each.plan === plan && each.unit === unit && holdsOn(each, day)) ?? null;
}
