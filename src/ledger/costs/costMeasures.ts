import type { AllowedProduct } from '../pricing/publishedTerms.ts';

/** Shares of what the plan includes of a product, by the bill. */
const ofProducts = {
  included_artifacts: 'artifacts',
  included_packages: 'packages',
  included_ai_credits: 'ai_credits',
} as const satisfies Record<string, AllowedProduct>;

/** Shares of the minutes or dollars that a provider includes, by the jobs. */
export const allowanceProviders = { included_usage: 'github', included_gitlab_minutes: 'gitlab' } as const;
export type AllowanceMeasure = keyof typeof allowanceProviders;

/** Whether it counts seconds, which only single jobs have. */
export function countsTime(measure: CostMeasure): boolean {
  return measure === 'included_gitlab_minutes';
}

const ofJobs = ['list_cost', 'net_cost', ...(Object.keys(allowanceProviders) as AllowanceMeasure[])] as const;

/** What a scope adds up: list cost, net cost, or the part of what the month includes that its jobs or the bill's lines use. */
export const costMeasures = [...ofJobs, ...(Object.keys(ofProducts) as (keyof typeof ofProducts)[])] as const;
export type JobMeasure = (typeof ofJobs)[number];
export type CostMeasure = JobMeasure | keyof typeof ofProducts;

/** Null if the measure adds up jobs. */
export function productOf(measure: CostMeasure): AllowedProduct | null {
  return (ofProducts as Partial<Record<CostMeasure, AllowedProduct>>)[measure] ?? null;
}

export function isJobMeasure(measure: CostMeasure): measure is JobMeasure {
  return productOf(measure) === null;
}

/** Whether it is a share of what is included, and so in percent. */
export function isShare(measure: string | undefined): measure is CostMeasure {
  return measure?.startsWith('included_') ?? false;
}
