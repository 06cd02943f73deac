import type { Context, Program } from '../../context.ts';
import type { Recorder } from '../../ledger/runs/recorder.ts';

/** What backfilling works with. */
export type BackfillProgram = Program & {
  recorder: Recorder;
  /** GitHub's API, without a slash at the end. */
  gitHubApiUrl: string;
};

export type BackfillContext = BackfillProgram & Pick<Context, 'actor'>;
