import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type Answer, type Asked as AskedOf, type Body, bodyQuery, dataQuery } from '../../../api/query.ts';
import type { paths } from '../../../api/schema.d.ts';
import { isMoving } from '../../../ui/task.ts';

export type Report = Answer<'/api/v1/bills/reports/{id}'>;

type ImportPost = paths['/api/v1/bills/reports']['post'];
export type Imported = ImportPost['responses'][201]['content']['application/json']['data'];
export type DateOrder = NonNullable<Imported['date_order']>;

export type Reconciliation = Body<'/api/v1/bills/reconciliation'>;
export type Asked = AskedOf<'/api/v1/bills/reconciliation'>;
export type BilledMonth = Answer<'/api/v1/bills/months'>[number];
export type Row = Reconciliation['data'][number];
export type Sums = Reconciliation['totals'];
export type Cause = keyof Sums['explained'];

type Accounts = Answer<'/api/v1/bills/accounts'>;
export type Account = Accounts['accounts'][number];
export type Suggestion = NonNullable<Accounts['suggested']>;

export const accountsKey = ['/api/v1/bills/accounts'];

/** The keys of what changes with the reports. */
export const ofReports = [
  ['/api/v1/bills/reports'],
  ['/api/v1/bills/reconciliation'],
  ['/api/v1/bills/months'],
  ['/api/v1/bills/months/{id}'],
  ['/api/v1/costs'],
];

const reportsPerPage = 100;

export function useReports(page: number) {
  const query = { page, per_page: reportsPerPage };
  return useQuery({ ...bodyQuery('/api/v1/bills/reports', { query }), placeholderData: keepPreviousData });
}

export function useAccounts() {
  return useQuery({
    ...dataQuery('/api/v1/bills/accounts'),
    refetchInterval: ({ state }) =>
      state.data?.accounts.some(({ fetch }) => fetch && isMoving(fetch)) ? 2_000 : 60_000,
  });
}

/** Billed amounts by month. Faster than `useMonths`, because it compares nothing. */
export function useBilledMonths() {
  return useQuery(dataQuery('/api/v1/bills/months'));
}

export type MonthClosed = Answer<'/api/v1/bills/months/{id}'>;

/** Null: not known yet. */
export function useMonthClose(month: string | null) {
  return useQuery({
    ...dataQuery('/api/v1/bills/months/{id}', { path: { id: month ?? '' } }),
    placeholderData: keepPreviousData,
    enabled: month !== null,
  });
}

/** One compared row per month with a bill. It reads all months, so it loads after the month that people look at. */
export function useMonths({ enabled }: { enabled: boolean }) {
  return useReconciliation({ by: 'month' }, { enabled });
}

export function useReconciliation(query: Asked, { enabled = true } = {}) {
  return useQuery({
    ...bodyQuery('/api/v1/bills/reconciliation', { query }),
    placeholderData: keepPreviousData,
    enabled,
  });
}
