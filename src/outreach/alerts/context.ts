import type { Context } from '../../context.ts';
import type { NotificationProgram } from '../notifications/context.ts';

/** What checking alerts works with. */
export type AlertProgram = NotificationProgram;

export type AlertContext = AlertProgram & Pick<Context, 'actor'>;
