import { usd } from '../lib/money.ts';
import type { Program } from '../organizations/context.ts';
import { recordEvents, type Happening } from '../webhooks/recordEvent.ts';
import { claimDueCompletions, markTold, removeTold, type DueCompletion } from './completion.queries.ts';

const day = 86_400_000;
const newsMilliseconds = 7 * day;
const keptMilliseconds = 30 * day;
const atOnce = 200;

type CompletionProgram = Pick<Program, 'db' | 'clock'>;

/**
 * Tells webhooks of the attempts that have ended and whose cost is final, each once; of those that ended more than a
 * week ago nothing: they are history that was brought in. Answers whether there may be more.
 */
export async function tellCompletions({ db, clock }: CompletionProgram): Promise<boolean> {
  const now = clock.now();
  return db.transaction().execute(async (tx) => {
    const due = await claimDueCompletions(tx, now, atOnce);
    const news = due.filter(({ completedAt }) => now.getTime() - completedAt.getTime() < newsMilliseconds);
    for (const [orgId, completions] of Map.groupBy(news, (completion) => completion.orgId)) {
      await recordEvents(tx, { orgId, now }, 'workflow.completed', completions.map(happeningOf));
    }
    if (due.length > 0) await markTold(tx, due, now);
    return due.length === atOnce;
  });
}

/** Forgets what was told long ago, some at a time; answers whether there may be more. */
export async function pruneCompletions({ db, clock }: CompletionProgram): Promise<boolean> {
  const before = new Date(clock.now().getTime() - keptMilliseconds);
  return (await removeTold(db, before, 1_000)) === 1_000;
}

function happeningOf(completion: DueCompletion): Happening {
  const { runId, attempt, conclusion, startedAt, completedAt, repository } = completion;
  const end = completion.lastJobCompletedAt ?? completedAt;
  const milliseconds = startedAt ? Math.max(0, end.getTime() - startedAt.getTime()) : 0;
  const [organization, name] = repository.split('/');
  return {
    happenedAt: completedAt,
    data: {
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
    },
  };
}
