import type { Context, Program } from '../../context.ts';
import type { Recorder } from '../../ledger/runs/recorder.ts';
import { addDays, type Day, dayOf } from '../../platform/lib/days.ts';
import { isUnderWay, type Task, type TaskKind } from '../../platform/work/tasks.ts';
import type { GitHubAnswer, GitHubClient, GitHubCredentials, WaitReason } from './gitHubClient.ts';

export const backfillKind: TaskKind = {
  name: 'backfill',
  idPrefix: 'bkf',
  endedState: { sealedToken: null },
};

/** `owner/name` as a regular expression, without anything that could change the path of a request. */
export const repositoryPattern = String.raw`^[A-Za-z0-9_-]{1,100}/(?!\.{1,2}$)[A-Za-z0-9_.-]{1,100}$`;

const repositoryForm = new RegExp(repositoryPattern);

export function isRepositoryName(text: string): boolean {
  return repositoryForm.test(text);
}

export type BackfillProgram = Program & {
  recorder: Recorder;
  gitHubApiUrl: string;
};

export type BackfillContext = BackfillProgram & Pick<Context, 'actor'>;

/** `message` and `attempt` exist only while GitHub is unreachable, and not in older backfills. */
export type Wait = { until: string; reason: WaitReason; message?: string; attempt?: number };

export type BackfillInput = {
  /** The source whose credentials to use; null for the token of `state.sealedToken`. */
  sourceId: string | null;
  repositories: string[];
  since: string;
  until: string;
  isNightly: boolean;
  /** Which API `state.sealedToken` is for: a process with other settings may continue the work. */
  gitHubApiUrl?: string;
};

/** Creation times in whole seconds since 1970, both ends included. */
export type Slice = { from: number; to: number };

type CountedSlice = { repository: number; total: number } & Slice;

export type Place = {
  slice: number;
  page: number;
  /** GitHub's ids of the slice's runs that are done, so that none counts twice. */
  handled: number[];
  isSecondLook: boolean;
  failing?: number[];
};

export type Problem = { repository: string; message: string; isRefused: boolean };

export type UnreadRun = { repository: string; runId: string; reason: string };

/** The remaining work, so that any worker can continue. `repository` is an index into the input. */
export type BackfillState = {
  uncounted: ({ repository: number } & Slice)[];
  slices: CountedSlice[];
  next: Place;
  problems: Problem[];
  /** The first unread runs, and the number of all unread runs. Older backfills lack it. */
  unread?: { runs: UnreadRun[]; count: number };
  wait: Wait | null;
  /** How many times in a row GitHub was unreachable or returned no run. */
  failures: number;
  /** Sealed, in base64; null if a source's credentials are used, or after the end. */
  sealedToken: string | null;
};

export type Backfill = Task<BackfillInput, BackfillState>;

/** Returns the same client for the same version of credentials. */
export type ClientOf = (of: {
  version: string;
  credentials: GitHubCredentials;
  gitHubApiUrl: string;
}) => Promise<GitHubClient>;

export type Step = {
  program: BackfillProgram;
  client: Pick<GitHubClient, 'get'>;
  task: Backfill;
  signal: AbortSignal;
};

export type StepEnd = { state: BackfillState; done: number; stoppedBy: Obstacle | null };

export type Obstacle = Exclude<GitHubAnswer<unknown>, { kind: 'data' } | { kind: 'unchanged' }>;

export const unreadable = {
  kind: 'unreachable',
  message: 'GitHub answered something other than a list',
} as const;

export function obstacleOf(answer: Exclude<GitHubAnswer<unknown>, { kind: 'data' }>): Obstacle {
  // Only a request with an ETag can get "unchanged".
  return answer.kind === 'unchanged' ? unreadable : answer;
}

export const badCredentials =
  'GitHub rejects the credentials: they are wrong, expired or revoked. Set new ones and start again.';

/** GitHub lists at most this many runs of one query. */
export const maxListed = 1_000;

/** After these waits, a backfill whose GitHub stays unreachable fails. */
export const unreachableDelaysSeconds = [10, 20, 40, 80, 160, 320, 640, 900];

const secondsADay = 86_400;

export function sliceBetween(since: Date, until: Date): Slice {
  const from = Math.floor(since.getTime() / 1_000);
  return { from, to: Math.max(from, Math.ceil(until.getTime() / 1_000) - 1) };
}

export function daysWithin({ from, to }: Slice): { start: Day; end: Day } | null {
  const start = dayOf(new Date((from + secondsADay - 1) * 1_000));
  const end = addDays(dayOf(new Date((to + 1) * 1_000)), -1);
  return start <= end ? { start, end } : null;
}

export function halve({ from, to }: Slice): [Slice, Slice] | null {
  if (from === to) return null;
  const middle = Math.floor((from + to) / 2);
  return [
    { from: middle + 1, to },
    { from, to: middle },
  ];
}

/** The form of GitHub's search: `2026-03-01T00:00:00Z..2026-03-31T23:59:59Z`. */
export function createdQuery({ from, to }: Slice): string {
  return `${instantOf(from)}..${instantOf(to)}`;
}

function instantOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
}

export function startOf(slice: number): Place {
  return { slice, page: 1, handled: [], isSecondLook: false };
}

const maxUnreadListed = 100;

export function withUnread(state: BackfillState, more: readonly UnreadRun[]): BackfillState {
  if (more.length === 0) return state;
  const { runs, count } = unreadOf(state);
  const listed = [...runs, ...more].slice(0, maxUnreadListed);
  return { ...state, unread: { runs: listed, count: count + more.length } };
}

export function unreadOf({ unread }: BackfillState): { runs: UnreadRun[]; count: number } {
  return unread ?? { runs: [], count: 0 };
}

const maxProblems = 500;

const moreProblemsText = 'There were more problems than fit here.';

export function withProblem(state: BackfillState, problem: Problem): BackfillState {
  const { problems } = state;
  const isKnown = problems.some(
    ({ repository, message }) => repository === problem.repository && message === problem.message,
  );
  if (isKnown) return state;
  if (problem.isRefused || problems.length < maxProblems)
    return { ...state, problems: [...problems, problem] };
  if (problems.some(({ message }) => message === moreProblemsText)) return state;
  return { ...state, problems: [...problems, { ...problem, message: moreProblemsText }] };
}

/** GitHub's count of a slice can grow while we read it. */
export function withReportedTotal(state: BackfillState, reportedRuns: number): BackfillState {
  const { slices, next } = state;
  const slice = slices[next.slice]!;
  if (slice.total === maxListed || reportedRuns <= slice.total) return state;
  return { ...state, slices: slices.with(next.slice, { ...slice, total: reportedRuns }) };
}

/** A slice that lacks runs is read twice, because deleted runs move others to earlier pages. */
export function afterPage(
  state: BackfillState,
  repository: string,
  { runsPerPage, isEmpty }: { runsPerPage: number; isEmpty: boolean },
): BackfillState {
  const { next } = state;
  const slice = state.slices[next.slice]!;
  const isLast = isEmpty || next.page * runsPerPage >= Math.min(slice.total, maxListed);
  if (!isLast) return { ...state, next: { ...next, page: next.page + 1, failing: [] } };
  const missing = slice.total - next.handled.length;
  if (missing > 0 && !next.isSecondLook)
    return { ...state, next: { ...next, page: 1, isSecondLook: true, failing: [] } };
  const onward = { ...state, next: startOf(next.slice + 1) };
  if (missing <= 0) return onward;
  return withProblem(onward, {
    repository,
    message: missingText(repository, slice, missing),
    isRefused: false,
  });
}

export function withoutRepository(state: BackfillState, repository: string, refusal: string): BackfillState {
  const { slices, next } = state;
  const place = slices[next.slice]!.repository;
  const rest = slices.slice(next.slice);
  const left = rest.filter((slice) => slice.repository === place);
  const others = rest.filter((slice) => slice.repository !== place);
  const unread = left.reduce((sum, { total }) => sum + total, 0) - next.handled.length;
  const message = `${runsText(unread)} of ${repository} could not be read. ${refusal}`;
  const onward = {
    ...state,
    slices: [...slices.slice(0, next.slice), ...left, ...others],
    next: startOf(next.slice + left.length),
  };
  return withProblem(onward, { repository, message, isRefused: true });
}

function missingText(repository: string, { from, to, total }: CountedSlice, missing: number): string {
  const [first, last] = [from, to].map((seconds) => new Date(seconds * 1_000).toISOString().slice(0, 19));
  const span = `created from ${first}Z to ${last}Z`;
  return (
    `${runsText(missing)} of ${repository} ${missing === 1 ? 'is' : 'are'} missing: of the runs ` +
    `${span}, GitHub counted ${total} and twice listed ${total - missing}. The count includes runs ` +
    'that were deleted meanwhile.'
  );
}

function runsText(count: number): string {
  return count === 1 ? '1 run' : `${count} runs`;
}

/** What a task that is under way waits for. Null if it does not wait. */
export function waitOf<Of extends { until: string }>(
  task: Task<unknown, { wait: Of | null }>,
  now: Date,
): Of | null {
  const { wait } = task.state;
  return isUnderWay(task) && wait && new Date(wait.until) > now ? wait : null;
}
