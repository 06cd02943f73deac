import type { Generated } from 'kysely';
import type { Draw, GitHubPlan, IncludedUnit } from './publishedTerms.ts';

export type PricingTables = {
  hostedRunners: HostedRunnersTable;
  priceBooks: PriceBooksTable;
  priceRules: PriceRulesTable;
  shadowRates: ShadowRatesTable;
  billingTerms: BillingTermsTable;
};

type PriceBooksTable = {
  orgId: string;
  id: string;
  name: string;
  basedOn: string | null;
  /** `StoredPrice[]` */
  prices: unknown;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
};

export type StoredPrice = { runnerKind: string; effectiveFrom: string; nanosPerMinute: string };

/** Nano-dollars per minute by first day. */
export type LaterRates = Record<string, string>;

type PriceRulesTable = {
  orgId: string;
  id: string;
  position: number;
  match: 'label' | 'regex' | 'runner_group';
  pattern: string;
  runnerKind: string | null;
  name: string | null;
  /** Until the first of the later rates. */
  nanosPerMinute: bigint | null;
  laterRates: LaterRates | null;
  rounding: 'minute' | 'second' | null;
  createdAt: Date;
  updatedAt: Date;
};

type HostedRunnersTable = {
  orgId: string;
  /** `acme`, or `enterprises/acme`. */
  owner: string;
  name: string;
  /** Since when the provider lists it with these facts, as far as we know. */
  firstDay: string;
  platform: string;
  size: string;
  cores: number;
  image: string | null;
  readAt: Date;
};

type ShadowRatesTable = { orgId: string; runnerKind: string; effectiveFrom: string; nanosPerMinute: bigint };

type BillingTermsTable = {
  orgId: string;
  provider: string;
  effectiveFrom: string;
  includedPlan: GitHubPlan | null;
  includedUnit: Generated<IncludedUnit>;
  /** Of no plan. */
  includedMinutes: number | null;
  includedNanos: bigint | null;
  includedDraw: Generated<Draw>;
  /** In hundredths of a percent. */
  discount: number;
  /** Null keeps the price of the list. */
  creditNanos: bigint | null;
  /** AI credits per month. */
  includedCredits: number | null;
};
