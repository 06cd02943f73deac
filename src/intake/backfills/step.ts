import type { Backfill, BackfillProgram, BackfillState } from './backfill.ts';
import type { GitHubAnswer, GitHubClient } from './gitHubClient.ts';

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
