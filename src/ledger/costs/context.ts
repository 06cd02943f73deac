import type { Context } from '../../context.ts';
import type { Plan } from '../../platform/lib/actor.ts';

/** A reader of the dashboard: the organization's plan decides how far back it reaches. */
export type DashboardContext = Pick<Context, 'db' | 'actor' | 'clock' | 'providers'> & { plan: Plan };
