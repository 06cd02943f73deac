import { addDays, type Day } from '../../../platform/lib/days.ts';
import { compare, sumOf } from '../../../platform/lib/lists.ts';
import { magnitude, type Nanos } from '../../../platform/lib/money.ts';
import { splitChange, type Parts, type Use } from '../changeParts.ts';
import { daysWithin, findSpan, weightsOf, type Calendar, type Costs, type Span } from './days.ts';

/** What the jobs of one name used on each day. `since` is the first of these days, even if it is of other jobs than asked about. */
export type JobUses = { name: string | null; days: ReadonlyMap<Day, readonly Use[]>; since: Day };

/**
 * `new` jobs never ran before, `returned` ones not in the previous period, and `removed` ones no more. The others are parts
 * of a change.
 */
export const eventKinds = ['new', 'returned', 'removed', 'volume', 'duration', 'price', 'mix'] as const;
type EventKind = (typeof eventKinds)[number];

type EventFigures = Parts & {
  /** What the days cost, and what comparable days usually do. The parts add up to the difference. */
  costNanos: Nanos;
  usualNanos: Nanos;
  jobs: bigint;
  /** Rounded. */
  usualJobs: bigint;
};

type EventJob = EventFigures & { name: string | null; kind: EventKind; runner: string | null };

export type JobsEvent = {
  span: Span;
  kind: EventKind;
  /** Whether these are all jobs of the workflow. */
  isWhole: boolean;
  /** The largest change first. */
  jobs: readonly EventJob[];
  figures: EventFigures;
  /** Set if the jobs mostly ran on one runner kind. */
  runner: string | null | undefined;
  /** Where they ran before, if not there. */
  previousRunner: string | null | undefined;
  /** Billed minutes of a job on average, in hundredths. */
  centiminutes: { now: bigint; before: bigint } | null;
};

/** The jobs of a workflow that explain why its days stand out. Null if none stand out. */
export function findJobsEvent(jobs: readonly JobUses[], calendar: Calendar): JobsEvent | null {
  const span = findSpan(costsOf(jobs), calendar);
  if (!span) return null;
  const named = namedOf(eventJobs(jobs, span, calendar), calendar);
  const own = jobs.filter(({ name }) => named.jobs.some((job) => job.name === name));
  // The jobs alone show the days better than everything that their workflow ran beside them.
  const ownSpan = findSpan(costsOf(own), calendar) ?? span;
  const event = eventOf(
    own,
    { span: ownSpan, kind: named.kind, isWhole: own.length === jobs.length },
    calendar,
  );
  return calendar.direction * changeOf(event.figures) > 0n ? event : null;
}

/** The same event, but it began later. */
export function eventSince(
  event: JobsEvent,
  from: Day,
  { jobs, calendar }: { jobs: readonly JobUses[]; calendar: Calendar },
): JobsEvent {
  const own = jobs.filter(({ name }) => event.jobs.some((job) => job.name === name));
  return eventOf(own, { ...event, span: { ...event.span, from } }, calendar);
}

function eventOf(
  own: readonly JobUses[],
  { span, kind, isWhole }: Pick<JobsEvent, 'span' | 'kind' | 'isWhole'>,
  calendar: Calendar,
): JobsEvent {
  const jobs = eventJobs(own, span, calendar).toSorted(bySize);
  const days = daysWithin(span, calendar);
  return {
    span,
    kind,
    isWhole,
    jobs,
    figures: together(jobs),
    ...runnersOf(own, days, calendar),
    centiminutes: timesOf(own, days, calendar),
  };
}

function costsOf(jobs: readonly JobUses[]): Costs {
  const costs = new Map<Day, Nanos>();
  for (const { days } of jobs) {
    for (const [day, uses] of days) costs.set(day, (costs.get(day) ?? 0n) + sumOf(uses, 'costNanos'));
  }
  return costs;
}

/** What is usual is rounded so that the jobs add up to the rounded sum. */
function eventJobs(jobs: readonly JobUses[], span: Span, calendar: Calendar): EventJob[] {
  const days = daysWithin(span, calendar);
  const { whole, weights } = weightsOf(days, calendar);
  const [roundCost, roundJobs] = [createRounding(whole), createRounding(whole)];
  const bySum = jobs.toSorted((a, b) => compare(a.name ?? '', b.name ?? ''));
  return bySum.map((job) => {
    const [now, before] = [usesOn(job, days), usesOn(job, [...weights.keys()])];
    const weighted = (key: 'costNanos' | 'jobs') =>
      [...weights].reduce((sum, [day, weight]) => sum + weight * sumOf(job.days.get(day) ?? [], key), 0n);
    const usualNanos = roundCost(weighted('costNanos'));
    const parts = splitChange(now, before, usualNanos);
    return {
      name: job.name,
      runner: mainRunner(now.length > 0 ? now : before) ?? null,
      kind: kindOf(job, { now, parts, span, calendar }),
      costNanos: sumOf(now, 'costNanos'),
      usualNanos,
      jobs: sumOf(now, 'jobs'),
      usualJobs: roundJobs(weighted('jobs')),
      ...parts,
    };
  });
}

function createRounding(whole: bigint): (part: bigint) => bigint {
  let sum = 0n;
  return (part) => {
    const before = sum / whole;
    sum += part;
    return sum / whole - before;
  };
}

function usesOn({ days }: JobUses, asked: readonly Day[]): Use[] {
  return asked.flatMap((day) => days.get(day) ?? []);
}

const partKinds = [
  ['volume', 'volumeNanos'],
  ['duration', 'durationNanos'],
  ['price', 'priceNanos'],
  ['mix', 'mixNanos'],
] as const;

type Split = { now: readonly Use[]; parts: Parts; span: Span; calendar: Calendar };

/** Says `new` of what did not run in the compared days; whoever can read the records knows whether it did earlier. */
function kindOf({ since }: JobUses, { now, parts, span, calendar }: Split): EventKind {
  // Of a burst, the first job can have run late on a day that did not stand out yet.
  const start = calendar.past ? addDays(span.from, -1) : calendar.days[0]!;
  if (since >= start) return 'new';
  if (now.length === 0 && calendar.direction < 0n) return 'removed';
  return mainPart(parts, calendar);
}

function mainPart(parts: Parts, { direction }: Calendar): EventKind {
  const largest = partKinds.toSorted(([, a], [, b]) => compare(direction * parts[b], direction * parts[a]));
  return largest[0]![0];
}

/** Whether what happened to it is a fact however little it cost. */
function isByName(kind: EventKind): boolean {
  return kind === 'new' || kind === 'removed';
}

type Named = Pick<JobsEvent, 'kind'> & { jobs: readonly EventJob[] };

/** Jobs with one kind of change, if they make up half of it: those on one runner kind, if these make up most of it. */
function namedOf(found: readonly EventJob[], calendar: Calendar): Named {
  const sizeOf = (jobs: readonly EventJob[]) => calendar.direction * changeOf(together(jobs));
  const pushing = found.filter((job) => sizeOf([job]) > 0n);
  const whole = { kind: mainPart(together(found), calendar), jobs: found };
  const largest = (groups: Iterable<EventJob[]>) =>
    [...groups].toSorted((a, b) => compare(sizeOf(b), sizeOf(a)))[0] ?? [];
  const ofKind = largest(Map.groupBy(pushing, ({ kind }) => kind).values());
  const ofRunner = largest(Map.groupBy(ofKind, ({ runner }) => runner).values());
  const alike = 10n * sizeOf(ofRunner) >= 9n * sizeOf(ofKind) ? ofRunner : ofKind;
  const least = sizeOf(alike.toSorted(bySize).slice(0, 1)) / 8n;
  const jobs = alike.filter((job) => isByName(job.kind) || sizeOf([job]) >= least);
  return 2n * sizeOf(jobs) >= sizeOf(pushing) && jobs[0] ? { kind: jobs[0].kind, jobs } : whole;
}

function changeOf({ costNanos, usualNanos }: EventFigures): Nanos {
  return costNanos - usualNanos;
}

function bySize(a: EventJob, b: EventJob): number {
  return compare(magnitude(changeOf(b)), magnitude(changeOf(a))) || compare(a.name ?? '', b.name ?? '');
}

const figureNames = [
  'costNanos',
  'usualNanos',
  'jobs',
  'usualJobs',
  'volumeNanos',
  'durationNanos',
  'priceNanos',
  'mixNanos',
] as const;

function together(jobs: readonly EventFigures[]): EventFigures {
  return Object.fromEntries(figureNames.map((name) => [name, sumOf(jobs, name)])) as EventFigures;
}

/** The runner kind of nine tenths of the cost, or of the jobs if they cost nothing; undefined if there is none. */
function mainRunner(uses: readonly Use[]): string | null | undefined {
  const key = sumOf(uses, 'costNanos') > 0n ? 'costNanos' : 'jobs';
  const whole = sumOf(uses, key);
  const groups = [...Map.groupBy(uses, ({ runner }) => runner)];
  return groups.find(([, own]) => 10n * sumOf(own, key) >= 9n * whole)?.[0];
}

function runnersOf(jobs: readonly JobUses[], days: readonly Day[], { before }: Calendar) {
  const [now, formerly] = [days, before].map((asked) =>
    mainRunner(jobs.flatMap((job) => usesOn(job, asked))),
  );
  return { runner: now, previousRunner: formerly === now ? undefined : formerly };
}

function timesOf(jobs: readonly JobUses[], days: readonly Day[], { before }: Calendar) {
  const [now, formerly] = [days, before].map((asked) => jobs.flatMap((job) => usesOn(job, asked)));
  const [count, formerCount] = [sumOf(now!, 'jobs'), sumOf(formerly!, 'jobs')];
  if (count === 0n || formerCount === 0n) return null;
  return {
    now: (100n * sumOf(now!, 'minutes')) / count,
    before: (100n * sumOf(formerly!, 'minutes')) / formerCount,
  };
}
