import type { Order } from '../../../ui/columns.ts';
import { dayIn, oneOf } from '../../../ui/useAddress.ts';

export const states = ['success', 'failure', 'cancelled', 'skipped', 'unfinished'] as const;
/** States in old addresses. */
const unfinished = ['queued', 'in_progress'];
const orders = ['created', 'cost', 'duration'] as const;

export const dayKinds = ['completed_on', 'created_on'] as const;
export type DayKind = (typeof dayKinds)[number];

export type RunFilter = {
  state: (typeof states)[number] | null;
  /** Replaces the range. */
  onDay: { kind: DayKind; day: string } | null;
  order: Order & { column: (typeof orders)[number] };
};

export function runFilterIn(params: URLSearchParams): RunFilter {
  const state = params.get('state');
  return {
    state: unfinished.includes(state ?? '') ? 'unfinished' : oneOf(states, state, null),
    onDay: onDayIn(params),
    order: {
      column: oneOf(orders, params.get('runs_by'), 'created'),
      isDescending: params.get('runs_order') !== 'asc',
    },
  };
}

export function runOrderParameters({ column, isDescending }: Order): Record<string, string | null> {
  return { runs_by: column === 'created' ? null : column, runs_order: isDescending ? null : 'asc' };
}

function onDayIn(params: URLSearchParams): { kind: DayKind; day: string } | null {
  for (const kind of dayKinds) {
    const day = dayIn(params, kind);
    if (day) return { kind, day };
  }
  return null;
}

export function daysChange(kind: DayKind, day: string | null): Record<DayKind, string | null> {
  return { completed_on: null, created_on: null, [kind]: day };
}
