import type { Task, TaskKind } from '../jobs/tasks.ts';
import type { WaitReason } from './gitHubAnswer.ts';
import type { Slice } from './slices.ts';

export const backfillKind: TaskKind = { name: 'backfill', idPrefix: 'bkf' };

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
  /** To be read, with how many runs GitHub has in each. */
  slices: ({ repository: number; total: number } & Slice)[];
  next: { slice: number; page: number; skip: number };
  /** What could not be read, for people. */
  problems: Problem[];
  /** Why it waits, and until when; null while it does not. */
  wait: { until: string; reason: WaitReason } | null;
  /** How often in a row GitHub could not be reached. */
  failures: number;
  /** A token given for this once, sealed and in base64; null where a source's is used or once it has ended. */
  sealedToken: string | null;
};

export type Problem = { repository: string; message: string; isRefused: boolean };

export type Backfill = Task<BackfillInput, BackfillState>;

const mostProblems = 500;

/** The state with one more problem. */
export function withProblem(state: BackfillState, problem: Problem): BackfillState {
  const isKnown = state.problems.some(
    ({ repository, message }) => repository === problem.repository && message === problem.message,
  );
  if (isKnown || state.problems.length >= mostProblems) return state;
  return { ...state, problems: [...state.problems, problem] };
}
