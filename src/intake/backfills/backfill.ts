import type { Context, Program } from '../../context.ts';
import type { Recorder } from '../../ledger/runs/recorder.ts';
import type { Task, TaskKind } from '../../platform/work/tasks.ts';
import type { WaitReason } from './gitHubClient.ts';
import { mostListed, type Slice } from './slices.ts';

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

/** What was asked for. */
export type BackfillInput = {
  /** Whose credentials are used; null: those of `state.sealedToken`. */
  sourceId: string | null;
  repositories: string[];
  since: string;
  until: string;
  isNightly: boolean;
};

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

/** The first page of a slice. */
export function startOf(slice: number): Place {
  return { slice, page: 1, handled: [], isSecondLook: false };
}

export type Problem = { repository: string; message: string; isRefused: boolean };

/** A run that GitHub lists and does not let read; another look may read it. `runId` is GitHub's number. */
export type UnreadRun = { repository: string; runId: string; reason: string };

export type Backfill = Task<BackfillInput, BackfillState>;

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

/** What backfilling works with. */
export type BackfillProgram = Program & {
  recorder: Recorder;
  /** GitHub's API, without a slash at the end. */
  gitHubApiUrl: string;
};

export type BackfillContext = BackfillProgram & Pick<Context, 'actor'>;

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
