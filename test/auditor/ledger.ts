/** Replays a history: which runs there are, and which price each job got when. */
import { completed, dayOf, type Job, type Report, type Step } from './history.ts';
import { priceOf, type Price, type Pricing, type Rule } from './prices.ts';
import { readGitHub, readSubmission } from './readReports.ts';
import { mergeRun, type MergedRun } from './reports.ts';

export type Terms = {
  provider?: string;
  effective_from?: string;
  included_minutes?: {
    github_plan?: string;
    unit?: string;
    minutes?: number;
    usd?: number;
    draw?: string;
  } | null;
  discount_percent?: number;
};

/** A job that completed and that no re-run carried over. */
export type PaidJob = { run: MergedRun; job: Job; price: Price; at: number; day: string };

export type Ledger = {
  runs: MergedRun[];
  jobs: PaidJob[];
  terms: readonly Terms[];
  /** The first day of the runs whose details are kept. */
  detailsFrom: string;
};

/** What the price of a job depends on, and its price. `by` is the step that gave it. */
type Priced = { facts: string; price: Price | null; by: number };
type Repriced = { priced: Priced; before: Price | null; by: number };

/** `apply` takes the steps one after the other, and `read` says what they come to so far. */
export function openLedger(): { apply: (step: Step) => void; read: () => Ledger } {
  const reports = new Map<string, Report[]>();
  const runs = new Map<string, MergedRun>();
  const prices = new Map<string, Priced>();
  const reprices = new Map<string, Repriced[]>();
  let pricing: Pricing = { list: 'github_2025', rules: [] };
  let terms: readonly Terms[] = [];
  let detailsFrom = '';
  let keptDays = Infinity;
  let by = 0;

  function record(seen: readonly Report[]): void {
    for (const report of seen) {
      const { id } = report.run;
      reports.set(id, [...(reports.get(id) ?? []), report]);
      const run = mergeRun(reports.get(id)!);
      runs.set(id, run);
      for (const job of run.jobs) {
        const [key, facts] = [keyOf(run, job), factsOf(job, run.jobs)];
        if (prices.get(key)?.facts === facts) continue;
        prices.set(key, { facts, price: priceOf(run.provider, job, pricing), by });
      }
    }
  }

  function reprice(
    { from, to, unpriced_only: isForUnpriced, dry_run: isDry }: RepriceBody,
    id: string,
  ): void {
    const changes: Repriced[] = [];
    for (const { run, job, price: before, day } of paidJobs(runs, prices)) {
      if (isDry || day < from || day > to || (isForUnpriced && !before.isUnpriced)) continue;
      const priced = prices.get(keyOf(run, job))!;
      changes.push({ priced, before, by });
      Object.assign(priced, { price: priceOf(run.provider, job, pricing), by });
    }
    reprices.set(id, changes);
  }

  /** Jobs that were reported or repriced since keep their price. */
  function revert(id: string): void {
    for (const { priced, before, by: then } of reprices.get(id) ?? [])
      if (priced.by === then) Object.assign(priced, { price: before, by });
  }

  const kinds: [RegExp, (step: Step, id: string) => void][] = [
    [/^POST runs$/, (step) => record(readSubmission(step))],
    [/^POST ingest\//, (step) => record(readGitHub(step))],
    [/^PUT pricing$/, ({ body }) => (pricing = { ...pricing, ...listOf(body) })],
    [/^PUT pricing\/terms$/, ({ body }) => ({ terms } = body as { terms: Terms[] })],
    [
      /^POST pricing\/rules$/,
      ({ body }, id) => (pricing = placed(pricing, { ...(body as Rule & Place), id })),
    ],
    [/^DELETE pricing\/rules\//, ({ path }) => (pricing = without(pricing, path.split('/').at(-1)!))],
    [/^POST reprices$/, ({ body }, id) => reprice(body as RepriceBody, id)],
    [/^POST reprices\/.+\/revert$/, ({ path }) => revert(path.split('/').at(-2)!)],
    [/^PUT organization$/, ({ body }) => (keptDays = (body as Retention).run_retention_days ?? keptDays)],
    [/ settled$/, ({ at }) => (detailsFrom = keptFrom(at, keptDays))],
  ];

  return {
    apply: (step) => {
      by++;
      const { method = 'POST', path, answer } = step;
      if (answer && answer.status >= 400) return;
      const id = (answer?.body as { data?: { id?: string } } | undefined)?.data?.id ?? `${by}`;
      const name = `${method} ${path.replace(/\?.*/, '').replace(/^\/api\/v1\//, '')}`;
      const [, take] = kinds.find(([pattern]) => pattern.test(name)) ?? [];
      if (!take && /^(PUT|POST|DELETE) (pricing|reprices)/.test(name)) throw new Error(`${name} is unknown`);
      take?.(step, id);
    },
    read: () => ({
      runs: [...runs.values()],
      jobs: [...paidJobs(runs, prices)],
      terms: terms.toSorted((a, b) => ((a.effective_from ?? '') < (b.effective_from ?? '') ? -1 : 1)),
      detailsFrom,
    }),
  };
}

type RepriceBody = { from: string; to: string; dry_run?: boolean; unpriced_only?: boolean };
type Place = { position?: number };

function listOf(body: unknown): Partial<Pricing> {
  const { book_id: list } = body as { book_id?: string };
  return list === undefined ? {} : { list };
}

function placed({ list, rules }: Pricing, { position, ...rule }: Rule & Place): Pricing {
  return { list, rules: rules.toSpliced(position === undefined ? rules.length : position - 1, 0, rule) };
}

function without({ list, rules }: Pricing, id: string): Pricing {
  return { list, rules: rules.filter((rule) => rule.id !== id) };
}

type Retention = { run_retention_days?: number | null };

/** The first day of the runs that are kept. */
function keptFrom(at: Date, days: number): string {
  return dayOf(Math.max(0, at.getTime() - (days - 1) * 86_400_000));
}

const keyOf = ({ id }: MergedRun, { attempt, jobId }: Job): string => JSON.stringify([id, attempt, jobId]);

function factsOf(job: Job, all: readonly Job[]): string {
  const { status, conclusion, startedAt, completedAt, ran, labels, group, runnerName } = job;
  const ofJob = [status, conclusion, startedAt, completedAt, ran, labels, group, runnerName];
  return JSON.stringify([...ofJob, isCarriedOver(job, all)]);
}

function* paidJobs(runs: Map<string, MergedRun>, prices: Map<string, Priced>): Generator<PaidJob> {
  for (const run of runs.values()) {
    for (const job of run.jobs) {
      const price = prices.get(keyOf(run, job))!.price;
      if (job.status !== completed || !price || isCarriedOver(job, run.jobs)) continue;
      const at = job.completedAt!;
      yield { run, job, price, at, day: dayOf(at) };
    }
  }
}

/** "Re-run failed jobs" lists the successful jobs of an earlier attempt again, with their old times. */
export function isCarriedOver(job: Job, all: readonly Job[]): boolean {
  return all.some(
    (other) =>
      other.attempt < job.attempt &&
      other.status === completed &&
      job.startedAt !== null &&
      other.name === job.name &&
      other.startedAt === job.startedAt &&
      other.completedAt === job.completedAt,
  );
}
