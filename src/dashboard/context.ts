import type { Context } from '../organizations/context.ts';
import type { Plan } from '../lib/actor.ts';

/** A reader of the dashboard: the organization's plan decides how far back it reaches. */
export type DashboardContext = Pick<Context, 'db' | 'actor' | 'clock'> & { plan: Plan };
