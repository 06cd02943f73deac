import type { Job } from './queries.ts';

/** A part of the timeline, from 0 to 1. */
export type Span = { start: number; end: number };

/** `rounding` is billed time after the end of the job. */
export type Bar = { waiting: Span | null; running: Span | null; rounding: Span | null };

export type Timeline = {
  ticks: { at: number; seconds: number }[];
  barOf: (job: Job) => Bar;
};

type Times = { created: number | null; started: number | null; ended: number | null; billedUntil: number };

/** Null if no job has started or is waiting. Jobs that have not completed end at `now`. */
export function timelineOf(jobs: readonly Job[], now: number): Timeline | null {
  const times = new Map(jobs.map((job) => [job, timesOf(job, now)]));
  const known = [...times.values()].filter(({ created, started }) => (created ?? started) !== null);
  if (known.length === 0) return null;
  const first = Math.min(
    ...known.map(({ created, started }) => Math.min(created ?? Infinity, started ?? Infinity)),
  );
  const last = Math.max(
    ...known.map(({ created, started, billedUntil }) => Math.max(created ?? 0, started ?? 0, billedUntil)),
  );
  const length = Math.max(last - first, 1_000);
  const spanOf = (from: number | null, to: number | null): Span | null =>
    from === null || to === null || to <= from
      ? null
      : { start: (from - first) / length, end: (to - first) / length };
  return {
    ticks: ticksOf(length / 1_000),
    barOf: (job) => {
      const { created, started, ended, billedUntil } = times.get(job)!;
      return {
        waiting: spanOf(created, started ?? (job.status === 'queued' ? now : null)),
        running: spanOf(started, ended),
        rounding: spanOf(ended, billedUntil),
      };
    },
  };
}

/** Copied and skipped jobs took no time in this attempt. */
function timesOf(job: Job, now: number): Times {
  const { receipt } = job;
  if (receipt.is_carried_over || job.raw_conclusion === 'skipped')
    return { created: null, started: null, ended: null, billedUntil: 0 };
  const [created, started, completed] = [job.created_at, job.started_at, job.completed_at].map(
    (at) => at && Date.parse(at),
  ) as (number | null)[];
  const ended = job.status === 'in_progress' ? now : completed!;
  const isRounded = receipt.rounding === 'minute' && started !== null && job.status === 'completed';
  const billedUntil = isRounded ? started! + receipt.billed_minutes * 60_000 : 0;
  const until = Math.max(ended ?? 0, billedUntil, job.status === 'queued' ? now : 0);
  return { created: created!, started: started!, ended, billedUntil: until };
}

const steps = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400,
];
const maxTicks = 5;

function ticksOf(seconds: number): Timeline['ticks'] {
  const step =
    steps.find((each) => seconds / each <= maxTicks) ?? Math.ceil(seconds / maxTicks / 86_400) * 86_400;
  const count = Math.floor(seconds / step);
  return Array.from({ length: count + 1 }, (_, index) => ({
    at: (index * step) / seconds,
    seconds: index * step,
  }));
}
