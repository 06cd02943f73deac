import { PublicError } from '../../platform/lib/errors.ts';
import { nextAttemptAt, type RetrySchedule } from '../../platform/work/retries.ts';
import { requireTask, taskPoller, type DoPiece } from '../../platform/work/tasks.ts';
import type { Poller } from '../../platform/work/worker.ts';
import {
  type Backfill,
  type BackfillInput,
  backfillKind,
  type BackfillProgram,
  type BackfillState,
} from './backfill.ts';
import { countSlice } from './countSlice.ts';
import { openCredentials } from './credentials.ts';
import { badCredentials, type GitHubClient } from './gitHubClient.ts';
import { readRuns } from './readRuns.ts';
import { allRefused } from './startBackfill.ts';
import type { Obstacle } from './step.ts';

/** Works at all backfills, a piece at a time, those that wait longest first. */
export function backfillPoller(program: BackfillProgram): Poller {
  return taskPoller(program, backfillKind, backfillWork(program));
}

/** First counts what there is, then reads it page by page. */
function backfillWork(program: BackfillProgram): DoPiece<BackfillInput, BackfillState> {
  const clientOf = clientsOf(program);
  return async (task, save, signal) => {
    const client = whileHeld(await clientOf(task), () => requireTask(program.db, task));
    const step = { program, client, task: { ...task, state: { ...task.state, wait: null } }, signal };
    const isCounting = task.state.uncounted.length > 0;
    const end = isCounting ? await countSlice(step) : await readRuns(step);
    if (signal.aborted && end.stoppedBy) end.stoppedBy = null;
    const { state, done } = end;
    const counted = state.uncounted.length === 0 ? { total: totalOf(state) } : {};
    if (end.stoppedBy) {
      const { failures, wait } = waitFor(end.stoppedBy, state.failures, program.clock.now());
      const dueAt = new Date(wait.until);
      return save(program.db, { state: { ...state, failures, wait }, done, ...counted, dueAt });
    }
    const isRead = state.uncounted.length === 0 && state.next.slice >= state.slices.length;
    if (isRead && done === 0) refuseIfAllRefused(task.input, state);
    await save(program.db, { state: { ...state, failures: 0 }, done, ...counted, isDone: isRead });
  };
}

/** The client, asking nothing more for a task that was cancelled or lost: that is known before each request. */
function whileHeld(client: GitHubClient, requireHeld: () => Promise<void>): Pick<GitHubClient, 'get'> {
  return {
    get: async (...asked) => {
      await requireHeld();
      return client.get(...asked);
    },
  };
}

function totalOf({ slices }: BackfillState): number {
  return slices.reduce((sum, { total }) => sum + total, 0);
}

function refuseIfAllRefused({ repositories }: BackfillInput, { problems }: BackfillState): void {
  const refused = problems.filter(({ isRefused }) => isRefused);
  if (new Set(refused.map(({ repository }) => repository)).size < repositories.length) return;
  throw allRefused(refused.map(({ message }) => message));
}

/** While GitHub cannot be reached. */
const retries: RetrySchedule = {
  delaysMilliseconds: [10, 20, 40, 80, 160, 320, 640, 900].map((seconds) => seconds * 1_000),
};

function waitFor(obstacle: Obstacle, failures: number, now: Date) {
  switch (obstacle.kind) {
    case 'unauthenticated':
      throw new PublicError('unavailable', 'bad_credentials', badCredentials);
    case 'refused':
      throw new PublicError('unavailable', 'refused', obstacle.message);
    case 'wait': {
      const { until, reason } = obstacle;
      return { failures: 0, wait: { until: until.toISOString(), reason } };
    }
    case 'unreachable': {
      const until = nextAttemptAt(retries, { failures: failures + 1, now });
      if (!until) {
        const message = `GitHub could not be reached ${failures + 1} times in a row: ${obstacle.message}.`;
        throw new PublicError('unavailable', 'unreachable', message);
      }
      return { failures: failures + 1, wait: { until: until.toISOString(), reason: 'unreachable' as const } };
    }
  }
}

const mostClients = 100;

/** Clients by their credentials, kept because each knows its rate limit and an App's token of the hour. */
function clientsOf(program: BackfillProgram): (task: Backfill) => Promise<GitHubClient> {
  const clients = new Map<string, GitHubClient>();
  return async (task) => {
    const { credentials, version } = await credentialsOf(program, task);
    const known = clients.get(version);
    if (known) return known;
    // Only here, so that commands which read nothing start without GitHub's libraries.
    const { createGitHubClient } = await import('./gitHubClient.ts');
    const client = createGitHubClient(program, credentials);
    clients.set(version, client);
    for (const oldest of clients.keys()) {
      if (clients.size <= mostClients) break;
      clients.delete(oldest);
    }
    return client;
  };
}

async function credentialsOf(program: BackfillProgram, { orgId, id, input, state }: Backfill) {
  if (input.sourceId !== null) return openCredentials(program, { orgId, sourceId: input.sourceId });
  try {
    const token = program.vault.open(Buffer.from(state.sealedToken ?? '', 'base64'));
    return { credentials: { kind: 'token', token } as const, version: `${orgId} ${id}` };
  } catch {
    const message = 'The token that was given for it can be read no more. Start another backfill.';
    throw new PublicError('conflict', 'no_credentials', message);
  }
}
