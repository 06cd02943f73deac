import { addTask, type TaskKind } from '../../platform/work/tasks.ts';
import { oneByOne } from '../../platform/work/worker.ts';
import { backfillKind, type BackfillInput, type BackfillProgram, type ClientOf } from './backfill.ts';
import { openCredentials } from './credentials.ts';
import { readInstalledRepositories } from './installedRepositories.ts';
import { activeRepositories, maxRepositories } from './nightly.ts';
import { claimPoll, findDuePolls, type SourceKey } from './queries.ts';
import { firstState } from './startBackfill.ts';

/** A poll is a short backfill that asks GitHub for new runs if GitHub's events cannot reach this server. */
export const pollKind: TaskKind = { ...backfillKind, name: 'poll', idPrefix: 'pol' };

const pollMinutes = 10;
/** GitHub's own runners stop a job after six hours, so older runs have ended. */
const lookBackHours = 6;
/** The nightly check fills longer gaps. */
const maxLookBackHours = 72;
const hour = 3_600_000;

/** A failing source does not stop the others. */
export async function startPolls(program: BackfillProgram, clientOf: ClientOf): Promise<void> {
  const due = await findDuePolls(program.db, pollKind.name, dueBefore(program));
  await oneByOne(due, (source) => startPoll(program, clientOf, source), {
    nameOf: ({ orgId, sourceId }) => [`source ${sourceId}`, orgId],
    message: 'polls could not start',
  });
}

function dueBefore({ clock }: BackfillProgram): Date {
  return new Date(clock.now().getTime() - pollMinutes * 60_000);
}

async function startPoll(program: BackfillProgram, clientOf: ClientOf, source: SourceKey): Promise<void> {
  const { clock, db } = program;
  const repositories = await polledRepositories(program, clientOf, source);
  if (repositories.length === 0) return;
  const now = clock.now();
  await db.transaction().execute(async (tx) => {
    const claimed = await claimPoll(tx, source, pollKind.name, dueBefore(program));
    if (!claimed) return;
    const input: BackfillInput = {
      sourceId: source.sourceId,
      repositories,
      since: pollSince(claimed.lastPollAt, now).toISOString(),
      until: now.toISOString(),
      isNightly: false,
    };
    await addTask(tx, clock, pollKind, { orgId: source.orgId, input, state: firstState(input) });
  });
}

/** Six hours before the last poll, so that runs that were in progress then are read again after their end. */
export function pollSince(lastPollAt: Date | null, now: Date): Date {
  const longest = now.getTime() - maxLookBackHours * hour;
  const from = lastPollAt ? lastPollAt.getTime() - lookBackHours * hour : longest;
  return new Date(Math.max(from, longest));
}

/** The repositories that the App may read; if GitHub does not return them, those with runs. */
export async function polledRepositories(
  program: BackfillProgram,
  clientOf: ClientOf,
  source: SourceKey,
): Promise<string[]> {
  const opened = await openCredentials(program, source);
  if (opened.credentials.kind === 'app') {
    const { gitHubApiUrl } = program;
    const client = await clientOf({ ...opened, gitHubApiUrl });
    const named = await readInstalledRepositories(client, maxRepositories);
    if (named) return named;
  }
  return activeRepositories(program, source.orgId, []);
}
