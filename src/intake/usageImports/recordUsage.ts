import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { readLines } from '../../ledger/bills/readLines.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { readUsageRow, usageColumns, type JobUsage } from '../providers/circleci/readUsage.ts';
import { findRecordedJobs, type RecordedJob } from './queries.ts';
import type { UsageCounts, UsageProgram } from './usageImport.ts';

/** In batches: the jobs, and how many other rows there were. */
export async function* readUsageFile(
  file: Buffer,
  receivedAt: Date,
  maxBytes = maxUnpackedBytes,
): AsyncGenerator<{ jobs: JobUsage[]; others: number }> {
  let columns: Map<string, number> | null = null;
  for await (const lines of readLines(unpacked(file, maxBytes))) {
    const jobs: JobUsage[] = [];
    let others = 0;
    for (const line of lines) {
      const cells = 'cells' in line ? line.cells : [];
      if (columns === null) {
        columns = columnsIn(cells);
        continue;
      }
      const at = columns;
      const usage = readUsageRow((column) => cells[at.get(column) ?? -1] ?? '', receivedAt);
      if (usage) jobs.push(usage);
      else others++;
    }
    yield { jobs, others };
  }
}

/** A file with an unknown heading would look like one without jobs. */
function columnsIn(cells: readonly string[]): Map<string, number> {
  const columns = new Map(cells.map((cell, index) => [cell.trim().toUpperCase(), index]));
  const missing = usageColumns.filter((column) => !columns.has(column));
  if (missing.length === 0) return columns;
  const text = `CircleCI's file lacks the columns ${missing.join(', ')}, so nothing was read. Update Runcost.`;
  throw new PublicError('unavailable', 'unreadable_usage', text);
}

/** Twice what CircleCI allows a result to have before it is compressed. */
const maxUnpackedBytes = 200 * 1024 * 1024;

/** Some HTTP stores unpack the files that they send. */
async function* unpacked(file: Buffer, maxBytes: number): AsyncGenerator<Buffer> {
  const isPacked = file[0] === 0x1f && file[1] === 0x8b;
  let bytes = 0;
  for await (const chunk of isPacked ? Readable.from([file]).pipe(createGunzip()) : [file]) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes) {
      const text = "A file of CircleCI's usage data is too large. Start again, with fewer days.";
      throw new PublicError('unavailable', 'unreadable_usage', text);
    }
    yield chunk as Buffer;
  }
}

type Recorded = JobUsage & { isNew: boolean };

/** A recorded job keeps its id, even if the usage data gave it another one: else it would cost twice. */
export async function recordUsage(
  { db, recorder }: Pick<UsageProgram, 'db' | 'recorder'>,
  orgId: string,
  jobs: JobUsage[],
): Promise<Recorded[]> {
  if (jobs.length === 0) return [];
  const runIds = [...new Set(jobs.map(({ report }) => report.runId))];
  const known = Map.groupBy(await findRecordedJobs(db, orgId, runIds), ({ runId }) => runId);
  const found = jobs.map((usage) => {
    const { report } = usage;
    const [job] = report.jobs;
    const same = recordedAs(job, known.get(report.runId) ?? []);
    const jobId = same?.jobId ?? job.jobId;
    return { ...usage, report: { ...report, jobs: [{ ...job, jobId }] as [typeof job] }, isNew: !same };
  });
  await recorder.record(
    orgId,
    found.map(({ report }) => report),
  );
  return found;
}

const sameStartMilliseconds = 5_000;

function recordedAs(
  { jobId, name, startedAt }: JobUsage['report']['jobs'][0],
  known: readonly RecordedJob[],
): RecordedJob | undefined {
  const isNear = (other: Date | null) =>
    other !== null && Math.abs(other.getTime() - startedAt!.getTime()) <= sameStartMilliseconds;
  return (
    known.find((each) => each.jobId === jobId) ??
    known.find((each) => each.name === name && isNear(each.startedAt))
  );
}

export function counted(counts: UsageCounts, jobs: readonly Recorded[], others: number): UsageCounts {
  const runners = { ...counts.runners };
  for (const { runner, seconds, parallelism, credits, listed } of jobs) {
    const sum = runners[runner] ?? { jobs: 0, credits: 0, seconds: 0, listed: 0, differing: 0 };
    runners[runner] = {
      jobs: sum.jobs + 1,
      credits: sum.credits + credits,
      seconds: sum.seconds + seconds * parallelism,
      listed: listed === null || sum.listed === null ? null : sum.listed + listed,
      differing: sum.differing + (listed === null || listed === credits ? 0 : 1),
    };
  }
  return {
    jobs: counts.jobs + jobs.length,
    added: counts.added + jobs.filter(({ isNew }) => isNew).length,
    others: counts.others + others,
    runners,
  };
}
