import type { Job } from './queries.ts';

type Priced = Pick<Job, 'completed_at'> & { receipt: Pick<Job['receipt'], 'price_book'> };

/** Whether a job completed after its price list ended. The name of the list contains the day: `… until 2025-12-31`. */
export function isAfterItsList({ completed_at: completedAt, receipt }: Priced): boolean {
  const [, lastDay] = / until (\d{4}-\d\d-\d\d)$/.exec(receipt.price_book?.name ?? '') ?? [];
  return lastDay !== undefined && completedAt !== null && completedAt.slice(0, 10) > lastDay;
}
