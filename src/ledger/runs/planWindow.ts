import type { Plan } from '../../platform/lib/actor.ts';
import { dayOf, windowEnding, type Window } from '../../platform/lib/days.ts';

/** Days of history that each plan shows. */
export const historyDays: Record<Plan, number> = { free: 30, pro: 365, team: 365 };

/** The window of `days` days that ends today, cut to the plan's history. */
export function planWindow(now: Date, plan: Plan, days: number): Window {
  return windowEnding(dayOf(now), Math.min(days, historyDays[plan]));
}
