import type { NotificationProgram } from '../notifications/context.ts';
import type { Context } from '../../context.ts';

/** What checking alerts works with. */
export type AlertProgram = NotificationProgram;

export type AlertContext = AlertProgram & Pick<Context, 'actor'>;
