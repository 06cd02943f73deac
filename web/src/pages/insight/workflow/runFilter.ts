import { dayIn, oneOf, pageIn } from '../../../ui/useAddress.ts';

export const daysKnown = ['7', '30', '90', '365'] as const;

/** One choice for people: the status, or the conclusion once the run has completed. */
const states = {
  queued: { status: 'queued' },
  in_progress: { status: 'in_progress' },
  success: { conclusion: 'success' },
  failure: { conclusion: 'failure' },
  cancelled: { conclusion: 'cancelled' },
  skipped: { conclusion: 'skipped' },
} as const;
type State = keyof typeof states;
export const stateNames = Object.keys(states) as State[];

export const dayKinds = ['completed_on', 'created_on'] as const;
export type DayKind = (typeof dayKinds)[number];

export function runFilterIn(params: URLSearchParams) {
  return {
    days: oneOf(daysKnown, params.get('days'), '30'),
    branch: params.get('branch') ?? '',
    state: oneOf(stateNames, params.get('state'), null),
    onDay: onDayIn(params),
    page: pageIn(params),
  };
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

export type RunFilter = ReturnType<typeof runFilterIn>;

export function runsAsked(workflowId: string, { days, branch, state, onDay, page }: RunFilter) {
  return {
    workflow_id: workflowId,
    days: Number(days),
    page,
    per_page: 20,
    ...(onDay ? { [onDay.kind]: onDay.day } : {}),
    ...(branch ? { branch } : {}),
    ...(state ? states[state] : {}),
  };
}
