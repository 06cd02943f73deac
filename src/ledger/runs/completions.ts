import type { Program } from '../../context.ts';
import { isSubscribed, recordEvents } from '../../events/recordEvent.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { usd } from '../../platform/lib/money.ts';
import { oneByOne } from '../../platform/work/oneByOne.ts';
import {
  claimDueCompletions,
  findDueOrganizations,
  markAnnounced,
  removeAnnounced,
  saveCompletions,
  type DueCompletion,
} from './completion.queries.ts';
import type { Completion } from './completionOf.ts';

const day = 86_400_000;
const keptMilliseconds = 30 * day;
const atOnce = 200;

type CompletionProgram = Pick<Program, 'db' | 'clock'>;

/** Notes attempts that have ended, to announce them, where a webhook has subscribed to that. */
export async function noteCompletions(
  tx: Transaction,
  orgId: string,
  completions: Completion[],
): Promise<void> {
  if (completions.length === 0 || !(await isSubscribed(tx, orgId, 'workflow.completed'))) return;
  await saveCompletions(tx, orgId, completions);
}

/**
 * Announces to webhooks the attempts that were noted and whose cost is final, each once. They stay locked until their
 * events are committed, so they need no lease; an organization that fails is due again. Answers whether there may be more.
 */
export async function announceCompletions({ db, clock }: CompletionProgram): Promise<boolean> {
  const now = clock.now();
  const organizations = await findDueOrganizations(db, now, atOnce);
  await oneByOne(organizations, (orgId) => announceCompletionsOf(db, orgId, now), {
    nameOf: (orgId) => `runs of organization ${orgId}`,
    message: 'ended runs could not be announced',
  });
  return organizations.length > 0;
}

async function announceCompletionsOf(db: Database, orgId: string, now: Date): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const due = await claimDueCompletions(tx, { orgId, now, limit: atOnce });
    if (due.length === 0) return;
    await recordEvents(tx, { orgId, now }, 'workflow.completed', due.map(dataOf));
    await markAnnounced(tx, due, now);
  });
}

/** Forgets what was announced long ago, some at a time; answers whether there may be more. */
export async function pruneCompletions({ db, clock }: CompletionProgram): Promise<boolean> {
  const before = new Date(clock.now().getTime() - keptMilliseconds);
  return (await removeAnnounced(db, before, 1_000)) === 1_000;
}

/** What the event's `data` says. */
function dataOf(completion: DueCompletion): object {
  const { runId, attempt, conclusion, startedAt, completedAt, repository } = completion;
  const end = completion.lastJobCompletedAt ?? completedAt;
  const milliseconds = startedAt ? Math.max(0, end.getTime() - startedAt.getTime()) : 0;
  const [organization, name] = repository.split('/');
  return {
    run: {
      id: runId,
      workflow_id: completion.workflowId,
      workflow_name: completion.workflowName,
      repository: name ?? repository,
      organization: name === undefined ? '' : organization,
      status: conclusion,
      duration_minutes: Math.round(milliseconds / 600) / 100,
      cost: usd(completion.costNanos),
      started_at: startedAt,
      completed_at: completedAt,
      repository_full_name: repository,
      run_attempt: attempt,
      attempt_cost: usd(completion.attemptCostNanos),
    },
  };
}
