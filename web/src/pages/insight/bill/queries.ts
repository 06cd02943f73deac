import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Answer } from '../../../api/answer.ts';
import { api } from '../../../api/client.ts';
import type { paths } from '../../../api/schema.d.ts';

export type Report = Answer<'/api/v1/bills/reports/{id}'>;

type ImportPost = paths['/api/v1/bills/reports']['post'];
export type Imported = ImportPost['responses'][201]['content']['application/json']['data'];
export type DateOrder = NonNullable<Imported['date_order']>;

type ReconciliationGet = paths['/api/v1/bills/reconciliation']['get'];
export type Reconciliation = ReconciliationGet['responses'][200]['content']['application/json'];
export type Asked = NonNullable<ReconciliationGet['parameters']['query']>;
export type Row = Reconciliation['data'][number];
export type Sums = Reconciliation['totals'];
export type Cause = keyof Sums['explained'];

export const reportsKey = ['/api/v1/bills/reports'];
export const reconciliationKey = ['/api/v1/bills/reconciliation'];
export const billedMonthsKey = ['/api/v1/bills/months'];

export function useReports(page: number) {
  const query = { page, per_page: 10 };
  return useQuery({
    queryKey: [...reportsKey, query],
    queryFn: async () => (await api.GET('/api/v1/bills/reports', { params: { query } })).data!,
    placeholderData: keepPreviousData,
  });
}

/** Billed amounts by month. Faster than `useMonths`, because it compares nothing. */
export function useBilledMonths() {
  return useQuery({
    queryKey: billedMonthsKey,
    queryFn: async () => (await api.GET('/api/v1/bills/months')).data!.data,
  });
}

/** One compared row per month with a bill. It reads all months, so it loads after the month that people look at. */
export function useMonths({ enabled }: { enabled: boolean }) {
  return useReconciliation({ by: 'month' }, { enabled });
}

export function useReconciliation(query: Asked, { enabled = true } = {}) {
  return useQuery({
    queryKey: [...reconciliationKey, query],
    queryFn: async () => (await api.GET('/api/v1/bills/reconciliation', { params: { query } })).data!,
    placeholderData: keepPreviousData,
    enabled,
  });
}
