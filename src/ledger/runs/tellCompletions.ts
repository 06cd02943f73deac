import type { Program } from '../../context.ts';
import type { EventData } from '../../events/eventTypes.ts';
import { recordEvents } from '../../events/recordEvent.ts';
import { usd } from '../../platform/lib/money.ts';
import {
  claimDueCompletions,
  findDueOrganizations,
  markTold,
  removeTold,
  type DueCompletion,
} from './completion.queries.ts';

const day = 86_400_000;
const keptMilliseconds = 30 * day;
const atOnce = 200;

type CompletionProgram = Pick<Program, 'db' | 'clock' | 'subscribers'>;

/**
 * Announces to webhooks the attempts that were noted and whose cost is final, each once. One organization that fails
 * costs the others nothing and is thrown at the end. Answers whether there may be more.
 */
export async function tellCompletions(program: CompletionProgram): Promise<boolean> {
  const now = program.clock.now();
  const failures: unknown[] = [];
  const organizations = await findDueOrganizations(program.db, now, atOnce);
  for (const orgId of organizations) {
    await tellCompletionsOf(program, orgId, now).catch((cause: unknown) =>
      failures.push(new Error(`runs of organization ${orgId}`, { cause })),
    );
  }
  if (failures.length > 0) throw new AggregateError(failures, 'runs that have ended could not be told');
  return organizations.length > 0;
}

async function tellCompletionsOf(
  { db, subscribers }: CompletionProgram,
  orgId: string,
  now: Date,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const due = await claimDueCompletions(tx, { orgId, now, limit: atOnce });
    if (due.length === 0) return;
    await recordEvents(tx, { orgId, now, subscribers }, 'workflow.completed', due.map(dataOf));
    await markTold(tx, due, now);
  });
}

/** Forgets what was told long ago, some at a time; answers whether there may be more. */
export async function pruneCompletions({ db, clock }: Pick<Program, 'db' | 'clock'>): Promise<boolean> {
  const before = new Date(clock.now().getTime() - keptMilliseconds);
  return (await removeTold(db, before, 1_000)) === 1_000;
}

/** What the event's `data` says. */
function dataOf(completion: DueCompletion): EventData['workflow.completed'] {
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
