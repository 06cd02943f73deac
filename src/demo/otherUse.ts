import type { AmountsReport } from '../ledger/runs/amounts.ts';
import { runIdOf } from '../ledger/runs/history.ts';
import type { RunReport } from '../ledger/runs/report.ts';
import { byteMilliseconds, gigabyte, hourMilliseconds, storageCost } from '../ledger/storage/byteHours.ts';
import type { RepositoryStorage } from '../ledger/storage/storage.ts';
import {
  addDays,
  dayOf,
  daysOf,
  monthAround,
  startOfDay,
  windowBetween,
  windowEnding,
  type Day,
} from '../platform/lib/days.ts';
import { getOrCreate, sumOf } from '../platform/lib/lists.ts';
import type { Nanos } from '../platform/lib/money.ts';
import { owner } from './company.ts';

// What runs use beside minutes: artifacts, caches, and tokens of a language model.

const megabyte = gigabyte / 1_024n;
const millisecondsPerDay = 86_400_000;

/** What each run of a workflow uploads. */
const uploads: Record<string, { name: string; megabytes: bigint; days: number }> = {
  [`${owner}/web CI`]: { name: 'playwright-report', megabytes: 120n, days: 30 },
  [`${owner}/mobile UI tests`]: { name: 'ui-videos', megabytes: 480n, days: 90 },
  [`${owner}/desktop Installers`]: { name: 'installers', megabytes: 650n, days: 90 },
};
const cacheBytes = 310n * megabyte;
/** GitHub removes the oldest ones of a repository above 10 GB. */
const maxCaches = 32;
/** Fewer than the page shows, because each takes as long as fifty runs. */
const [readDays, daysBetweenReadings] = [28, 3];

type Artifact = RepositoryStorage['artifacts'][number] & { expiresAt: Date };
type Stored = { artifacts: Artifact[]; caches: RepositoryStorage['caches'][number][] };

/** `quantity` is in billionths of a gigabyte-hour. */
export type StorageLine = { repository: string; day: Day; quantity: bigint; costNanos: Nanos };

/** Notes what runs store. */
export function createStorage() {
  const ofRepositories = new Map<string, Stored>();
  return {
    note: ({ repository, workflowName, runId, pullRequest, commit, state }: RunReport): void => {
      const upload = uploads[`${repository} ${workflowName}`];
      if (!upload || !['success', 'failure'].includes(state?.rawConclusion ?? '')) return;
      const { createdAt } = state!;
      const { artifacts, caches } = getOrCreate(ofRepositories, repository, () => ({
        artifacts: [],
        caches: [],
      }));
      const expiresAt = new Date(createdAt.getTime() + upload.days * millisecondsPerDay);
      artifacts.push({ runId, name: upload.name, bytes: upload.megabytes * megabyte, createdAt, expiresAt });
      const ref = pullRequest === null ? 'refs/heads/main' : `refs/pull/${pullRequest}/merge`;
      caches.push({ key: `npm-${commit}`, ref, bytes: cacheBytes, createdAt, usedAt: createdAt });
    },
    /** What GitHub would have answered at the end of these days, oldest first. */
    readings: (now: Date): RepositoryStorage[] =>
      daysOf(windowEnding(dayOf(now), readDays)).flatMap((day, index) => {
        if (index % daysBetweenReadings > 0) return [];
        const lastInstant = new Date(startOfDay(addDays(day, 1)).getTime() - 1);
        const readAt = lastInstant < now ? lastInstant : now;
        return [...ofRepositories].map(([repository, stored]) => readingOf(repository, stored, readAt));
      }),
    /** What GitHub would bill up to a day. */
    lines: (last: Day): StorageLine[] =>
      [...ofRepositories].flatMap(([repository, { artifacts }]) =>
        [...byDay(artifacts, last)].map(([day, milliseconds]) => ({
          repository,
          day,
          quantity: (milliseconds * 1_000_000_000n) / (gigabyte * hourMilliseconds),
          costNanos: storageCost('artifact', milliseconds / hourMilliseconds),
        })),
      ),
  };
}

function readingOf(repository: string, { artifacts, caches }: Stored, readAt: Date): RepositoryStorage {
  const start = startOfDay(monthAround(dayOf(readAt)).start);
  const kept = caches.filter(({ createdAt }) => createdAt <= readAt).slice(-maxCaches);
  return {
    repository,
    readAt,
    artifacts: artifacts.filter(({ createdAt, expiresAt }) => createdAt <= readAt && expiresAt > start),
    unlisted: 0,
    caches: kept,
    usage: { caches: kept.length, bytes: sumOf(kept, 'bytes') },
    problems: [],
  };
}

/** Bytes times milliseconds. */
function byDay(artifacts: readonly Artifact[], last: Day): Map<Day, bigint> {
  const sums = new Map<Day, bigint>();
  for (const { bytes, createdAt, expiresAt: end } of artifacts) {
    const until = dayOf(end);
    for (const day of daysOf(windowBetween(dayOf(createdAt), until < last ? until : last))) {
      const span = { from: startOfDay(day), until: startOfDay(addDays(day, 1)) };
      sums.set(day, (sums.get(day) ?? 0n) + byteMilliseconds({ bytes, createdAt, end }, span));
    }
  }
  return sums;
}

const nanosPerToken = 4_000n;

/** What evaluations paid the vendor of a model, as their runs report it. */
export function amountsOf(reports: readonly RunReport[]): AmountsReport[] {
  return reports
    .filter(({ workflowName, state }) => workflowName === 'Evaluate' && state?.rawConclusion === 'success')
    .map((report) => {
      const quantity = 90_000 + 1_000 * (Number(report.runId) % 240);
      const costNanos = String(BigInt(quantity) * nanosPerToken);
      return {
        runId: runIdOf(report),
        attempt: report.attempt,
        key: 'evaluation',
        amounts: [{ product: 'ai_credits', unit: 'tokens', quantity, costNanos }],
      };
    });
}
