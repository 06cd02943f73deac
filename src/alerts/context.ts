import type { NotificationProgram } from '../notifications/context.ts';
import type { Context } from '../organizations/context.ts';

/** What checking alerts works with; `publicUrl` is where their messages lead to. */
export type AlertProgram = NotificationProgram & { publicUrl: string };

export type AlertContext = AlertProgram & Pick<Context, 'actor'>;
