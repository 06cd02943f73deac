import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { EndedRun, Program } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { randomId } from '../../platform/lib/ids.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { oneLine } from '../../platform/lib/text.ts';
import { giveBackLeases, releaseLease, withLease } from '../../platform/work/leases.ts';
import { nextAttemptAt, type RetrySchedule } from '../../platform/work/retries.ts';
import type { Poller } from '../../platform/work/worker.ts';
import {
  claimComment,
  deleteOldComments,
  dueAfter,
  postpone,
  queueComments,
  statusAfter,
  stopComments,
  type CommentRow,
} from './queries.ts';
import { getSettings } from './settings.ts';

/** Injected by `worker.ts`, because this wing must not depend on `insight`. */
type ReportPullRequest = (
  orgId: string,
  asked: { provider: string; repository: string; number: number; failAbove: Nanos | null },
  changes: WorkflowChanges,
) => Promise<Report>;

type Revision = { files: { path: string; content: string }[] };

/** `workflows` is null if none changed, or if `note` says why they could not be read. */
type WorkflowChanges = { workflows: { base: Revision; head: Revision } | null; note: string | null };

type Waiting =
  /** The provider asks us to wait, and would refuse every other request too. */
  { kind: 'wait'; until: Date; message: string } | { kind: 'unreachable'; message: string };

/** Injected by `worker.ts`: only `intake` can open GitHub credentials. */
type ReadWorkflowChanges = (
  orgId: string,
  place: Pick<CommentRow, 'provider' | 'repository' | 'number' | 'sourceId'>,
) => Promise<({ kind: 'data' } & WorkflowChanges) | Waiting>;

type Report = { markdown: string; check: { conclusion: string; title: string; summary: string } };

/** Where to write a report. The ids are the provider's, and null before the first write. */
type Place = Pick<
  CommentRow,
  'provider' | 'repository' | 'number' | 'headSha' | 'sourceId' | 'isCommentDeleted'
> & {
  commentId: string | null;
  /** The check of the same commit. */
  checkId: string | null;
};

type Ids = Pick<CommentRow, 'sourceId' | 'commentId' | 'isCommentDeleted' | 'checkId'>;

/** `ids` has what was written, even if the rest failed. */
type Written = { ids: Ids } & (
  | { kind: 'written' }
  | Waiting
  /** Retrying helps only after somebody changed something. */
  | { kind: 'refused'; message: string }
);

/** Injected by `worker.ts`: only `intake` can open GitHub credentials. */
type WriteReport = (orgId: string, place: Place, report: Report) => Promise<Written>;

type CommentProgram = Pick<Program, 'db' | 'clock'> & {
  log: Logger;
  report: ReportPullRequest;
  readChanges: ReadWorkflowChanges;
  write: WriteReport;
};

/** Queues the comments on these runs' pull requests to be written again. */
export async function queueReports(tx: Transaction, orgId: string, runs: readonly EndedRun[]): Promise<void> {
  const byPullRequest = Map.groupBy(runs, (run) =>
    JSON.stringify([run.provider, run.repository, run.pullRequest]),
  );
  const queued = [...byPullRequest.values()].map((ofOne) => {
    const { provider, repository, pullRequest, at } = ofOne.at(-1)!;
    const head = newestOf(ofOne.flatMap((run) => run.head ?? []));
    return {
      id: randomId('prc'),
      provider,
      repository,
      number: pullRequest,
      dueAt: at,
      headSha: head?.commit ?? null,
      headCreatedAt: head?.createdAt ?? null,
      isNamed: ofOne.some((run) => run.isNamed),
    };
  });
  const now = queued.map(({ dueAt }) => dueAt).reduce((a, b) => (a > b ? a : b));
  await queueComments(tx, orgId, queued, now);
}

type Head = NonNullable<EndedRun['head']>;

function newestOf(heads: readonly Head[]): Head | undefined {
  return heads.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime()).at(-1);
}

const leaseMilliseconds = 300_000;
const minute = 60_000;
const retries: RetrySchedule = {
  delaysMilliseconds: [1, 5, 15, 60, 180].map((minutes) => minutes * minute),
};

/** Returns whether there may be more. A report that a killed process wrote is written again. */
async function writeReports(program: CommentProgram): Promise<boolean> {
  const { clock, db } = program;
  return withLease(program, 'pullRequestComments', leaseMilliseconds, async (lease) => {
    const comment = await claimComment(db, { now: clock.now(), lease });
    if (comment) await writeOne(program, comment);
    return comment !== undefined;
  });
}

async function writeOne(program: CommentProgram, comment: CommentRow): Promise<void> {
  const { clock, db, log } = program;
  const { orgId, repository, number } = comment;
  const { isEnabled, failAbove } = await getSettings({ db, actor: { orgId } });
  if (!isEnabled) return void (await end(db, comment, { status: 'written', lastError: null }));
  const { ids, digest, note, ...outcome } = await attempt(program, comment, failAbove).catch(
    (error: unknown) => {
      log.error(
        { err: error, organization: orgId, repository, pullRequest: number },
        'a pull request comment failed',
      );
      const unknown = { ids: idsOf(comment), digest: null, note: comment.note };
      return { ...unknown, kind: 'unreachable' as const, message: ownFault };
    },
  );
  const now = clock.now();
  const known = { ...ids, note, checkSha: ids.checkId === null ? null : comment.headSha };
  if (outcome.kind === 'written') {
    const done = { attempts: 0, lastError: null, dueAt: dueAfter(comment, now), writtenAt: now };
    return void (await end(db, comment, { status: 'written', ...known, ...done, digest }));
  }
  const lastError = oneLine(outcome.message).slice(0, 500).toWellFormed();
  log.warn(
    { organization: orgId, repository, pullRequest: number, reason: lastError },
    'pull request not written',
  );
  if (outcome.kind === 'wait') {
    const attempts = comment.attempts - 1;
    await releaseLease(db, 'pullRequestComments', comment, {
      ...known,
      attempts,
      lastError,
      dueAt: outcome.until,
    });
    return postpone(db, orgId, outcome.until);
  }
  const dueAt =
    outcome.kind === 'refused' ? null : nextAttemptAt(retries, { failures: comment.attempts, now });
  if (dueAt)
    return void (await releaseLease(db, 'pullRequestComments', comment, { ...known, lastError, dueAt }));
  await end(db, comment, { status: 'failed', ...known, lastError, dueAt: dueAfter(comment, now) });
}

/** The error's own message may contain what only operators should read. */
const ownFault = 'Runcost itself failed. The log of the server has the reason.';

/** A check belongs to one commit. */
function idsOf({ sourceId, commentId, isCommentDeleted, checkId, checkSha, headSha }: CommentRow): Ids {
  return { sourceId, commentId, isCommentDeleted, checkId: checkSha === headSha ? checkId : null };
}

async function attempt(
  { report, readChanges, write }: CommentProgram,
  comment: CommentRow,
  failAbove: Nanos | null,
): Promise<Written & { digest: string | null; note: string | null }> {
  const { orgId, headSha } = comment;
  const read = await readChanges(orgId, comment);
  // The estimate must not delay the comment for hours.
  const isGivenUp = read.kind === 'unreachable' && comment.attempts > 1;
  if (read.kind !== 'data' && !isGivenUp)
    return { ...read, ids: idsOf(comment), digest: comment.digest, note: comment.note };
  const changes = read.kind === 'data' ? read : { workflows: null, note: read.message };
  const note = changes.note && oneLine(changes.note).slice(0, 500).toWellFormed();
  const texts = await report(orgId, { ...comment, failAbove }, changes);
  const digest = createHash('sha256')
    .update(JSON.stringify([texts, headSha]))
    .digest('base64url');
  const ids = idsOf(comment);
  if (digest === comment.digest && comment.lastError === null) return { kind: 'written', ids, digest, note };
  return { ...(await write(orgId, { ...comment, ...ids }, texts)), digest, note };
}

type Ended = Partial<Omit<CommentRow, 'status' | 'dueAt'>> & {
  status: 'written' | 'failed';
  dueAt?: ReturnType<typeof dueAfter>;
};

function end(db: Database, comment: CommentRow, { status, ...change }: Ended): Promise<boolean> {
  const { sourceId, commentId, isCommentDeleted, checkId, ...rest } = change;
  const ids = commentId === undefined ? {} : { sourceId, commentId, isCommentDeleted, checkId };
  return releaseLease(db, 'pullRequestComments', comment, {
    ...(ids as object),
    ...rest,
    status: statusAfter(comment, status),
  });
}

const keptMilliseconds = 180 * 86_400_000;

export function commentPollers(program: CommentProgram): Poller[] {
  return [
    {
      name: 'comment on pull requests',
      everyMilliseconds: 2_000,
      run: () => writeReports(program),
      stop: () => giveBackLeases(program.db, 'pullRequestComments'),
    },
    {
      name: 'prune pull request comments',
      everyMilliseconds: 3_600_000,
      run: async () => {
        const before = new Date(program.clock.now().getTime() - keptMilliseconds);
        return (await deleteOldComments(program.db, before)) > 0;
      },
    },
  ];
}

/** Called when an organization is deleted. */
export const removeCommentsOf = stopComments;
