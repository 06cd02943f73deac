import type { Plan } from '../../platform/lib/actor.ts';
import { dayOf, windowEnding, type Window } from '../../platform/lib/days.ts';

export const historyDays: Record<Plan, number> = { free: 30, pro: 365, team: 365 };

export const requestsPerMinute: Record<Plan, number> = { free: 60, pro: 300, team: 600 };

/** The last `days` days until today, or as many as the plan shows. */
export function planWindow(now: Date, plan: Plan, days: number): Window {
  return windowEnding(dayOf(now), Math.min(days, historyDays[plan]));
}
