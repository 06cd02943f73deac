import { beginning } from '../../../ledger/pricing/priceBook.ts';
import type {
  DrawRule,
  FreeUse,
  GitHubPlan,
  PlanAllowance,
  ProductAllowance,
  PublishedTerms,
} from '../../../ledger/pricing/publishedTerms.ts';
import { parseUsd } from '../../../platform/lib/money.ts';

/** What GitHub takes off its list prices. If GitHub changes them, end the old fact and add the new one here. */

const checkedOn = '2026-11-28';
const actionsBilling = {
  source: 'https://docs.github.com/en/billing/concepts/product-billing/github-actions',
  checkedOn,
  status: 'published',
} as const;

const freeUses: readonly FreeUse[] = [
  {
    title: 'Public repositories',
    firstDay: beginning,
    lastDay: null,
    ...actionsBilling,
    // A repository of unknown visibility counts as private.
    covers: ({ isPrivate }) => isPrivate === false,
  },
  {
    title: 'Dependabot',
    firstDay: beginning,
    lastDay: null,
    ...actionsBilling,
    covers: isOfPath(/^dynamic\/dependabot\//),
  },
  {
    title: 'GitHub Pages',
    firstDay: beginning,
    lastDay: null,
    ...actionsBilling,
    covers: isOfPath(/^dynamic\/pages\//),
  },
  {
    title: 'Copilot code review',
    firstDay: beginning,
    lastDay: '2026-05-31',
    ...actionsBilling,
    source: 'https://github.com/github/docs/issues/44003',
    // Migration 0012 knows these paths too. Copilot's cloud agent (`dynamic/copilot-swe-agent/`) was never free.
    covers: isOfPath(/^dynamic\/(agents\/)?copilot-pull-request-reviewer(\/|$)/),
  },
];

function isOfPath(pattern: RegExp): FreeUse['covers'] {
  return ({ workflowPath }) => pattern.test(workflowPath ?? '');
}

type InPlan = {
  plan: GitHubPlan;
  title: string;
  minutes: bigint;
  usd: string;
  artifactsGb: string;
  packagesGb: string;
};

const inPlans: readonly InPlan[] = [
  { plan: 'free', title: 'Free', minutes: 2_000n, usd: '12', artifactsGb: '0.5', packagesGb: '0.5' },
  { plan: 'pro', title: 'Pro', minutes: 3_000n, usd: '18', artifactsGb: '1', packagesGb: '2' },
  { plan: 'team', title: 'Team', minutes: 3_000n, usd: '18', artifactsGb: '2', packagesGb: '2' },
  {
    plan: 'enterprise',
    title: 'Enterprise Cloud',
    minutes: 50_000n,
    usd: '300',
    artifactsGb: '50',
    packagesGb: '50',
  },
];

const plans = inPlans.flatMap(({ plan, title, minutes, usd }): PlanAllowance[] => [
  {
    plan,
    title,
    unit: 'minutes',
    perMonth: minutes,
    firstDay: beginning,
    lastDay: null,
    source: 'https://docs.github.com/en/billing/reference/product-usage-included',
    checkedOn,
    status: 'published',
  },
  // GitHub's documentation still names minutes, and no source names the first day.
  {
    plan,
    title,
    unit: 'usd',
    perMonth: parseUsd(usd),
    firstDay: '2026-01-01',
    lastDay: null,
    source: 'https://github.com/orgs/community/discussions/213355',
    checkedOn,
    status: 'hint',
  },
]);

const drawRules: readonly DrawRule[] = [
  {
    draw: 'list_price_ratio',
    title: 'In proportion to the list price',
    multipliers: null,
    firstDay: beginning,
    lastDay: null,
    source: 'https://docs.github.com/en/billing/reference/actions-runner-pricing',
    checkedOn,
    status: 'assumed',
  },
  // Documented until mid-2025, and somebody still saw them in July 2026.
  {
    draw: 'legacy_multipliers',
    title: 'Linux 1, Windows 2, macOS 10',
    multipliers: { linux: 1n, windows: 2n, macos: 10n },
    firstDay: beginning,
    lastDay: null,
    source: 'https://github.com/github/docs/issues/45138',
    checkedOn,
    status: 'hint',
  },
];

const included = {
  firstDay: beginning,
  lastDay: null,
  source: 'https://docs.github.com/en/billing/reference/product-usage-included',
  checkedOn: '2026-11-29',
  status: 'published',
} as const;

/** GitHub's list has artifacts and packages apart, so neither uses the other's. Older texts say that they share one. */
const ofPlans = inPlans.flatMap(({ plan, title, artifactsGb, packagesGb }): ProductAllowance[] => [
  { ...included, product: 'artifacts', plan, title, perMonthNanos: parseUsd(artifactsGb) },
  { ...included, product: 'packages', plan, title, perMonthNanos: parseUsd(packagesGb), status: 'assumed' },
]);

/** For each license. GitHub has given more for some months, and bills in AI credits since 2026-06-01. */
const ofLicenses = Object.entries({ Business: '1900', Enterprise: '3900' }).map(
  ([title, credits]): ProductAllowance => ({
    ...included,
    product: 'ai_credits',
    plan: null,
    title: `Copilot ${title}, for each license`,
    perMonthNanos: parseUsd(credits),
    firstDay: '2026-06-01',
    source: 'https://docs.github.com/en/copilot/get-started/plans',
  }),
);

export const gitHubTerms: PublishedTerms = {
  freeUses,
  plans,
  draws: drawRules,
  products: [...ofPlans, ...ofLicenses],
};
