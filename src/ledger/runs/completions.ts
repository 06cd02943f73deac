import type { Program } from '../../context.ts';
import type { EventData } from '../../events/eventTypes.ts';
import { recordEvents } from '../../events/recordEvent.ts';
import type { Transaction } from '../../platform/db/database.ts';
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
const announced = 'workflow.completed';

type CompletionProgram = Pick<Program, 'db' | 'clock' | 'subscribers'>;

/** Notes attempts that have ended, to announce them, where anybody has subscribed to that. */
export async function noteCompletions(
  tx: Transaction,
  { orgId, subscribers }: { orgId: string } & Pick<Program, 'subscribers'>,
  completions: Completion[],
): Promise<void> {
  if (completions.length === 0 || !(await subscribers.isSubscribed(tx, orgId, announced))) return;
  await saveCompletions(tx, orgId, completions);
}

/**
 * Announces to webhooks the attempts that were noted and whose cost is final, each once. They stay locked until their
 * events are committed, so they need no lease; an organization that fails is due again. Answers whether there may be more.
 */
export async function announceCompletions(program: CompletionProgram): Promise<boolean> {
  const now = program.clock.now();
  const organizations = await findDueOrganizations(program.db, now, atOnce);
  await oneByOne(organizations, (orgId) => announceCompletionsOf(program, orgId, now), {
    nameOf: (orgId) => `runs of organization ${orgId}`,
    message: 'ended runs could not be announced',
  });
  return organizations.length > 0;
}

async function announceCompletionsOf(
  { db, subscribers }: CompletionProgram,
  orgId: string,
  now: Date,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const due = await claimDueCompletions(tx, { orgId, now, limit: atOnce });
    if (due.length === 0) return;
    await recordEvents(tx, { orgId, now, subscribers }, announced, due.map(dataOf));
    await markAnnounced(tx, due, now);
  });
}

/** Forgets what was announced long ago, some at a time; answers whether there may be more. */
export async function pruneCompletions({ db, clock }: Pick<Program, 'db' | 'clock'>): Promise<boolean> {
  const before = new Date(clock.now().getTime() - keptMilliseconds);
  return (await removeAnnounced(db, before, 1_000)) === 1_000;
}

/** What the event's `data` says. */
function dataOf(completion: DueCompletion): EventData[typeof announced] {
  const { runId, attempt, conclusion, startedAt, completedAt, repository } = completion;
  const end = completion.lastJobCompletedAt ?? completedAt;
  const milliseconds = startedAt ? Math.max(0, end.getTime() - startedAt.getTime()) : 0;
  const [owner = '', name] = repository.split('/');
  return {
    run: {
      id: runId,
      workflow_id: completion.workflowId,
      workflow_name: completion.workflowName,
      repository: name ?? repository,
      organization: name === undefined ? '' : owner,
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
