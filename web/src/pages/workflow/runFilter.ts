import { oneOf, pageIn } from '../../shown/useAddress.ts';

export const daysKnown = ['7', '30', '90'] as const;

/** A run's status, or its conclusion once it has completed: one choice for people, two fields of the API. */
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

/** What the address asks for; what it does not name, or names wrongly, is as if it were left out. */
export function runFilterIn(params: URLSearchParams) {
  return {
    days: oneOf(daysKnown, params.get('days'), '30'),
    branch: params.get('branch') ?? '',
    state: oneOf(stateNames, params.get('state'), null),
    page: pageIn(params),
  };
}

export type RunFilter = ReturnType<typeof runFilterIn>;

/** The same as the API has it. */
export function runsAsked(workflowId: string, { days, branch, state, page }: RunFilter) {
  return {
    workflow_id: workflowId,
    days: Number(days),
    page,
    per_page: 20,
    ...(branch ? { branch } : {}),
    ...(state ? states[state] : {}),
  };
}
