import { PublicError } from '../../platform/lib/errors.ts';
import { prunePoller, requireTask, taskPoller, type DoPiece } from '../../platform/work/tasks.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { noteEvent } from '../reception/sources.ts';
import {
  backfillKind,
  createdQuery,
  halve,
  maxListed,
  obstacleOf,
  sliceBetween,
  unreadable,
  withProblem,
  type Backfill,
  type BackfillInput,
  type BackfillProgram,
  type BackfillState,
  type ClientOf,
  type Slice,
  type Step,
  type StepEnd,
} from './backfill.ts';
import { deleteGone } from './completeness.ts';
import { openCredentials } from './credentials.ts';
import type { GitHubClient } from './gitHubClient.ts';
import { removeListedRuns } from './listedRuns.queries.ts';
import { startNightlyBackfills } from './nightly.ts';
import { waitFor } from './obstacles.ts';
import { pollKind, startPolls } from './polls.ts';
import { readPage } from './readRun.ts';
import { readRuns } from './readRuns.ts';
import { allRefused } from './startBackfill.ts';

export function backfillPollers(program: BackfillProgram): Poller[] {
  const clientOf = cachedClients(program);
  return [
    {
      name: 'start nightly backfills',
      everyMilliseconds: 60_000,
      run: async () => {
        await startNightlyBackfills(program);
        return false;
      },
    },
    {
      name: 'start polls',
      everyMilliseconds: 60_000,
      run: async () => {
        await startPolls(program, clientOf);
        return false;
      },
    },
    backfillPoller(program, clientOf),
    taskPoller(program, pollKind, pollWork(program, clientOf)),
    prunePoller(program, 'prune backfills', backfillKind, keptDays),
    prunePoller(program, 'prune polls', pollKind, keptPollDays),
    { name: 'prune listed runs', everyMilliseconds: 3_600_000, run: () => pruneListedRuns(program) },
  ];
}

const keptDays = 100;
/** Ended polls are many, and nobody reads them. */
const keptPollDays = 2;
const dayMilliseconds = 86_400_000;

async function pruneListedRuns({ clock, db }: Pick<BackfillProgram, 'clock' | 'db'>): Promise<boolean> {
  const before = new Date(clock.now().getTime() - keptDays * dayMilliseconds);
  return (await removeListedRuns(db, before)) > 0;
}

export function backfillPoller(program: BackfillProgram, clientOf = cachedClients(program)): Poller {
  return taskPoller(program, backfillKind, backfillWork(program, clientOf));
}

/** A poll that GitHub has answered completely shows that the source works, as an event does. */
function pollWork(program: BackfillProgram, clientOf: ClientOf): DoPiece<BackfillInput, BackfillState> {
  const work = backfillWork(program, clientOf);
  return (task, save, signal) => {
    const saveAndNote: typeof save = async (db, piece) => {
      await save(db, piece);
      const { sourceId } = task.input;
      if (piece.isDone && sourceId) await noteEvent(program, task.orgId, sourceId);
    };
    return work(task, saveAndNote, signal);
  };
}

function backfillWork(program: BackfillProgram, clientOf: ClientOf): DoPiece<BackfillInput, BackfillState> {
  return async (task, save, signal) => {
    const { gitHubApiUrl } = atGitHubOf(task, program);
    const of = { ...(await credentialsOf(program, task)), gitHubApiUrl };
    const client = whileHeld(await clientOf(of), () => requireTask(program.db, task));
    const step = { program, client, task: { ...task, state: { ...task.state, wait: null } }, signal };
    const isCounting = task.state.uncounted.length > 0;
    const end = isCounting ? await countSlice(step) : await readRuns(step);
    if (signal.aborted && end.stoppedBy) end.stoppedBy = null;
    const { state, done } = end;
    const counted = state.uncounted.length === 0 ? { total: totalOf(state) } : {};
    if (end.stoppedBy) {
      const { failures, wait } = waitFor(end.stoppedBy, state.failures, atGitHubOf(task, program));
      const dueAt = new Date(wait.until);
      return save(program.db, { state: { ...state, failures, wait }, done, ...counted, dueAt });
    }
    const isRead = state.uncounted.length === 0 && state.next.slice >= state.slices.length;
    if (isRead && done === 0) refuseIfAllRefused(task.input, state);
    await save(program.db, { state: { ...state, failures: 0 }, done, ...counted, isDone: isRead });
  };
}

function whileHeld(client: GitHubClient, requireHeld: () => Promise<void>): Pick<GitHubClient, 'get'> {
  return {
    get: async (...asked) => {
      await requireHeld();
      return client.get(...asked);
    },
  };
}

type Uncounted = BackfillState['uncounted'][number];

async function countSlice(step: Step): Promise<StepEnd> {
  const { client, task, signal } = step;
  const { state, input } = task;
  const done = Number(task.done);
  const slice = state.uncounted.at(-1)!;
  const repository = input.repositories[slice.repository]!;
  const query = { created: createdQuery(slice), per_page: 1 };
  const answer = await client.get(repository, '/actions/runs', { query, signal });
  if (answer.kind === 'refused') {
    const after = withProblem(withoutNext(state), {
      repository,
      message: answer.message,
      isRefused: true,
    });
    return { state: after, done, stoppedBy: null };
  }
  if (answer.kind !== 'data') return { state, done, stoppedBy: obstacleOf(answer) };
  const page = readPage(answer.data, 'workflow_runs');
  if (!page) return { state, done, stoppedBy: unreadable };
  if (page.total === 0) await deleteGone(step, repository, slice);
  const { from, to } = sliceBetween(new Date(input.since), new Date(input.until));
  const hasNone = page.total === 0 && slice.from === from && slice.to === to;
  const explained = hasNone ? await whyNone(client, repository, signal) : null;
  const counted = afterCount(withoutNext(state), repository, slice, page.total);
  return {
    state: explained ? withProblem(counted, { repository, message: explained, isRefused: false }) : counted,
    done,
    stoppedBy: null,
  };
}

function withoutNext(state: BackfillState): BackfillState {
  return { ...state, uncounted: state.uncounted.slice(0, -1) };
}

function afterCount(
  state: BackfillState,
  repository: string,
  slice: Uncounted,
  total: number,
): BackfillState {
  if (total === 0) return state;
  const place = slice.repository;
  const halves = total < maxListed ? null : halve(slice);
  if (halves) {
    const [later, earlier] = halves;
    const of = (half: Slice) => ({ repository: place, ...half });
    return { ...state, uncounted: [...state.uncounted, of(earlier), of(later)] };
  }
  const listed = Math.min(total, maxListed);
  const counted = { ...state, slices: [...state.slices, { ...slice, total: listed }] };
  if (total <= maxListed) return counted;
  const at = new Date(slice.from * 1_000).toISOString();
  const message = `${total} runs were created in the second ${at}; GitHub lists ${maxListed} of them.`;
  return withProblem(counted, { repository, message, isRefused: false });
}

async function whyNone(client: Step['client'], repository: string, signal: AbortSignal) {
  const answer = await client.get(repository, '', { signal });
  const { archived, disabled } = (answer.kind === 'data' ? answer.data : {}) as Record<string, unknown>;
  if (archived === true) return `${repository} is archived and has no runs in this period.`;
  return disabled === true ? `${repository} is disabled at GitHub.` : null;
}

function totalOf({ slices }: BackfillState): number {
  return slices.reduce((sum, { total }) => sum + total, 0);
}

function refuseIfAllRefused({ repositories }: BackfillInput, { problems }: BackfillState): void {
  const refused = problems.filter(({ isRefused }) => isRefused);
  if (new Set(refused.map(({ repository }) => repository)).size < repositories.length) return;
  throw allRefused(refused.map(({ message }) => message));
}

const maxClients = 100;

/** Reuses clients, because each knows its rate limit and an App's token. */
function cachedClients(program: BackfillProgram): ClientOf {
  const clients = new Map<string, GitHubClient>();
  return async ({ version, credentials, gitHubApiUrl }) => {
    const known = clients.get(version);
    if (known) return known;
    // Imported late, so that other commands start without GitHub's libraries.
    const { createGitHubClient } = await import('./gitHubClient.ts');
    const client = createGitHubClient({ ...program, gitHubApiUrl }, credentials);
    clients.set(version, client);
    for (const oldest of clients.keys()) {
      if (clients.size <= maxClients) break;
      clients.delete(oldest);
    }
    return client;
  };
}

function atGitHubOf({ input: { gitHubApiUrl } }: Backfill, program: BackfillProgram): BackfillProgram {
  return gitHubApiUrl === undefined ? program : { ...program, gitHubApiUrl };
}

async function credentialsOf(program: BackfillProgram, { orgId, id, input, state }: Backfill) {
  if (input.sourceId !== null) return openCredentials(program, { orgId, sourceId: input.sourceId });
  try {
    const token = program.vault.open(Buffer.from(state.sealedToken ?? '', 'base64'));
    return { credentials: { kind: 'token', token } as const, version: `${orgId} ${id}` };
  } catch {
    const message = 'The token of this backfill can no longer be decrypted. Start another backfill.';
    throw new PublicError('conflict', 'no_credentials', message);
  }
}
