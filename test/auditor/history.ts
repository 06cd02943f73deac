/** What senders and operators sent and the program acknowledged, in the order in which it was committed. */
export type Step = {
  /** What the program's clock said. */
  at: Date;
  method?: string;
  /** A path of the API, or `settled`: the worker had nothing left to do. */
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  answer?: { status: number; body: unknown };
};

export type Difference = { view: string; of: string; found: unknown; expected: unknown };

/** Reads a path of the API. Throws unless the answer is 200. */
// oxlint-disable-next-line typescript/no-explicit-any -- each view asserts the shape of its answer
export type Ask = (path: string, query?: Record<string, string>) => Promise<any>;

/** Milliseconds, or null if not reported. */
export type Time = number | null;

export type Job = {
  attempt: number;
  jobId: string;
  status: number;
  name: string | null;
  labels: string[] | null;
  group: string | null;
  runnerName: string | null;
  conclusion: string | null;
  startedAt: Time;
  completedAt: Time;
  /** Whether a runner took it. */
  ran: boolean;
};

export type Run = {
  id: string;
  provider: string;
  attempt: number;
  status: number;
  repository: string;
  workflow: string | null;
  path: string | null;
  isPrivate: boolean | null;
  event: string | null;
  branch: string | null;
  actor: string | null;
  startedBy: string | null;
  pullRequest: number | null;
  conclusion: string | null;
  createdAt: number;
};

/** A report of a run or of one of its jobs. */
export type Seen<Of> = Of & { observedAt: number };
export type Report = { run: Seen<Run>; jobs: Seen<Job>[] };

export const completed = 2;

export const nanosOf = (usd: number | string): bigint => BigInt(Math.round(Number(usd) * 1e9));

export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** For a failure: the first differences, and the history as one line for each step and run. */
export function textOf(differences: readonly Difference[], history: readonly Step[]): string {
  const found = differences
    .slice(0, 20)
    .map(
      ({ view, of, found: shown, expected }) =>
        `${view}, ${of}: ${String(shown)} instead of ${String(expected)}`,
    );
  const steps = history.flatMap(({ at, method = 'POST', path, body }) => {
    const { runs = [body] } = (body ?? {}) as { runs?: unknown[] };
    return runs.map((run) => `${at.toISOString()} ${method} ${path} ${JSON.stringify(run)}`);
  });
  return [...found, ...steps].join('\n');
}
