import { isSubscribed } from '../../events/recordEvent.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { saveCompletions } from './completion.queries.ts';
import type { Completion } from './completionOf.ts';

/** Notes attempts that have ended, to announce them, where a webhook has subscribed to that. */
export async function noteCompletions(
  tx: Transaction,
  orgId: string,
  completions: Completion[],
): Promise<void> {
  if (completions.length === 0 || !(await isSubscribed(tx, orgId, 'workflow.completed'))) return;
  await saveCompletions(tx, orgId, completions);
}
