/** What a scope adds up: list cost, net cost, or the part of the month's included minutes that its jobs draw. */
export const costMeasures = ['list_cost', 'net_cost', 'included_usage'] as const;
export type CostMeasure = (typeof costMeasures)[number];
