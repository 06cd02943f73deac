import type { Context, Program } from '../../context.ts';
import type { Recorder } from '../../ledger/runs/recorder.ts';
import { addDays, type Day, dayOf } from '../../platform/lib/days.ts';
import type { Task, TaskKind } from '../../platform/work/tasks.ts';
import type { GitHubAnswer, GitHubClient, WaitReason } from './gitHubClient.ts';

export const backfillKind: TaskKind = {
  name: 'backfill',
  idPrefix: 'bkf',
  endedState: { sealedToken: null },
};

/** `owner/name` as GitHub takes it, as a regular expression: nothing that an address would read as another path. */
export const repositoryPattern = String.raw`^[A-Za-z0-9_-]{1,100}/(?!\.{1,2}$)[A-Za-z0-9_.-]{1,100}$`;

const repositoryForm = new RegExp(repositoryPattern);

/** Whether GitHub could have a repository of that name. */
export function isRepositoryName(text: string): boolean {
  return repositoryForm.test(text);
}

/** What backfilling works with. */
export type BackfillProgram = Program & {
  recorder: Recorder;
  /** GitHub's API, without a slash at the end. */
  gitHubApiUrl: string;
};

export type BackfillContext = BackfillProgram & Pick<Context, 'actor'>;

/** What was asked for. */
export type BackfillInput = {
  /** Whose credentials are used; null: those of `state.sealedToken`. */
  sourceId: string | null;
  repositories: string[];
  since: string;
  until: string;
  isNightly: boolean;
};

/** A span of creation times, in whole seconds of the Unix epoch, both ends included. */
export type Slice = { from: number; to: number };

type CountedSlice = { repository: number; total: number } & Slice;

/** Where reading goes on: a page of a slice. */
export type Place = {
  slice: number;
  page: number;
  /** GitHub's ids of the slice's runs that are done with, so that none is read or counted twice. */
  handled: number[];
  /** Whether the slice is read once more, because the first time lacked some of its runs. */
  isSecondLook: boolean;
  /** GitHub's ids of the page's runs that it has failed to give; they are asked for last. */
  failing?: number[];
};

export type Problem = { repository: string; message: string; isRefused: boolean };

/** A run that GitHub lists and does not let read; another look may read it. `runId` is GitHub's number. */
export type UnreadRun = { repository: string; runId: string; reason: string };

/** What is still to be done, so that any worker can go on. Repositories are named by their place in the input. */
export type BackfillState = {
  /** To be counted; the last is next. */
  uncounted: ({ repository: number } & Slice)[];
  /** To be read, with how many runs GitHub has in each: the most that it has told. */
  slices: CountedSlice[];
  next: Place;
  /** What else is amiss, for people. */
  problems: Problem[];
  /** The runs that could not be read: the first of them, and how many in all. Older backfills have none. */
  unread?: { runs: UnreadRun[]; count: number };
  /** Why it waits, and until when; null while it does not. */
  wait: { until: string; reason: WaitReason } | null;
  /** How often in a row GitHub could not be reached, or gave none of the runs asked for. */
  failures: number;
  /** A token given for this once, sealed and in base64; null where a source's is used or once it has ended. */
  sealedToken: string | null;
};

export type Backfill = Task<BackfillInput, BackfillState>;

/** What a piece of a backfill works with. */
export type Step = {
  program: BackfillProgram;
  client: Pick<GitHubClient, 'get'>;
  task: Backfill;
  signal: AbortSignal;
};

/** How far a piece came; not to its end where an answer stopped it. */
export type StepEnd = { state: BackfillState; done: number; stoppedBy: Obstacle | null };

export type Obstacle = Exclude<GitHubAnswer<unknown>, { kind: 'data' } | { kind: 'unchanged' }>;

export const unreadable = {
  kind: 'unreachable',
  message: 'GitHub answered something else than a list',
} as const;

/** The obstacle in an answer that is not the data asked for. */
export function obstacleOf(answer: Exclude<GitHubAnswer<unknown>, { kind: 'data' }>): Obstacle {
  // Without an ETag sent, nothing can be unchanged.
  return answer.kind === 'unchanged' ? unreadable : answer;
}

/** The message where GitHub refuses the credentials themselves. */
export const badCredentials =
  'GitHub refuses the credentials: they are wrong, expired or revoked. Set others and start again.';

/** GitHub lists no more of one query, however many there are. */
export const mostListed = 1_000;

const secondsADay = 86_400;

/** The slice of the runs created from `since` up to but without `until`. */
export function sliceBetween(since: Date, until: Date): Slice {
  const from = Math.floor(since.getTime() / 1_000);
  return { from, to: Math.max(from, Math.ceil(until.getTime() / 1_000) - 1) };
}

/** The days all of whose seconds are in the slice; null where there is none. */
export function daysWithin({ from, to }: Slice): { start: Day; end: Day } | null {
  const start = dayOf(new Date((from + secondsADay - 1) * 1_000));
  const end = addDays(dayOf(new Date((to + 1) * 1_000)), -1);
  return start <= end ? { start, end } : null;
}

/** The later and the earlier half of a slice that has too many runs; null for a single second. */
export function halve({ from, to }: Slice): [Slice, Slice] | null {
  if (from === to) return null;
  const middle = Math.floor((from + to) / 2);
  return [
    { from: middle + 1, to },
    { from, to: middle },
  ];
}

/** How GitHub's search wants it: `2026-03-01T00:00:00Z..2026-03-31T23:59:59Z`. */
export function createdQuery({ from, to }: Slice): string {
  return `${instantOf(from)}..${instantOf(to)}`;
}

function instantOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
}

/** The first page of a slice. */
export function startOf(slice: number): Place {
  return { slice, page: 1, handled: [], isSecondLook: false };
}

const mostUnreadTold = 100;

/** The state with more runs that could not be read. Beyond the most that are named, they are only counted. */
export function withUnread(state: BackfillState, more: readonly UnreadRun[]): BackfillState {
  if (more.length === 0) return state;
  const { runs, count } = unreadOf(state);
  const told = [...runs, ...more].slice(0, mostUnreadTold);
  return { ...state, unread: { runs: told, count: count + more.length } };
}

/** The runs that could not be read so far. */
export function unreadOf({ unread }: BackfillState): { runs: UnreadRun[]; count: number } {
  return unread ?? { runs: [], count: 0 };
}

const mostProblems = 500;

const moreProblems = 'There were more problems than are told here.';

/** The state with one more problem. Beyond the most that are told, only refused repositories are added. */
export function withProblem(state: BackfillState, problem: Problem): BackfillState {
  const { problems } = state;
  const isKnown = problems.some(
    ({ repository, message }) => repository === problem.repository && message === problem.message,
  );
  if (isKnown) return state;
  if (problem.isRefused || problems.length < mostProblems)
    return { ...state, problems: [...problems, problem] };
  if (problems.some(({ message }) => message === moreProblems)) return state;
  return { ...state, problems: [...problems, { ...problem, message: moreProblems }] };
}

/** The state after GitHub reported that the slice being read has so many runs: later ones may have come, and count. */
export function withTold(state: BackfillState, toldRuns: number): BackfillState {
  const { slices, next } = state;
  const slice = slices[next.slice]!;
  // Of a second with more runs than are listed, the rest is reported as a problem already.
  if (slice.total === mostListed || toldRuns <= slice.total) return state;
  return { ...state, slices: slices.with(next.slice, { ...slice, total: toldRuns }) };
}

/**
 * Where reading goes on after a page: at the next page, which a short page does not forgo; then at the next slice. A slice
 * that lacks runs is read once more: runs deleted meanwhile move others to pages that have been read.
 */
export function afterPage(
  state: BackfillState,
  repository: string,
  { runsPerPage, isEmpty }: { runsPerPage: number; isEmpty: boolean },
): BackfillState {
  const { next } = state;
  const slice = state.slices[next.slice]!;
  const isLast = isEmpty || next.page * runsPerPage >= Math.min(slice.total, mostListed);
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

/** The state without what is left to read of the repository being read, which GitHub has refused. */
export function withoutRepository(state: BackfillState, repository: string, refusal: string): BackfillState {
  const { slices, next } = state;
  const place = slices[next.slice]!.repository;
  const rest = slices.slice(next.slice);
  const left = rest.filter((slice) => slice.repository === place);
  // Those of others may stand between them.
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
  return `${runsText(missing)} of ${repository} ${missing === 1 ? 'is' : 'are'} missing: of those ${span}, GitHub counted ${total} and listed ${total - missing}, asked twice. What was deleted meanwhile is counted with them.`;
}

function runsText(count: number): string {
  return count === 1 ? '1 run' : `${count} runs`;
}
