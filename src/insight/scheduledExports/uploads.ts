import type { Context, Program } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { notFound, PublicError } from '../../platform/lib/errors.ts';
import type { Page, Paged } from '../../platform/lib/lists.ts';
import { nextAttemptAt, type RetrySchedule } from '../../platform/work/retries.ts';
import {
  addTask,
  cancelTask,
  type DoPiece,
  getTask,
  hastenTasks,
  listTasks,
  listTasksUnderWay,
  type Task,
  type TaskKind,
} from '../../platform/work/tasks.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { lockOrganization } from '../../tenancy/organizations/organizations.ts';
import type { ExportInput } from '../exports/datasets.ts';
import { firstState, readFile, type ExportState } from '../exports/exports.ts';
import { formats } from '../exports/formats.ts';
import { rowWriter } from '../exports/writeExport.ts';
import type { Period } from './periods.ts';
import { type ScheduledExportRow, scheduledRows } from './queries.ts';
import { openStorage, StorageError, type Destination, type Storage } from './storage.ts';

/** One by one, so that a storage that hangs only delays uploads of its own organization. */
export const uploadKind: TaskKind = { name: 'export upload', idPrefix: 'upl', isOneByOne: true };

export type UploadInput = ExportInput & {
  scheduledId: string;
  period: Period;
  /** The last part of its key, the same for each attempt. */
  fileName: string;
};

type UploadState = ExportState & {
  failures?: number;
  location?: string;
  /** A multipart upload in progress. `at` identifies its destination. */
  parts?: { at: string; uploadId: string; tags: string[] } | null;
};

export type Upload = Task<UploadInput, UploadState>;

/** Newest first. */
export function listUploads(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  page: Page,
): Promise<Paged<Upload>> {
  return listTasks<UploadInput, UploadState>(db, uploadKind, { orgId: actor.orgId, ...page });
}

export function addUpload(
  tx: Transaction,
  { clock }: Pick<Program, 'clock'>,
  orgId: string,
  input: UploadInput,
): Promise<Upload> {
  return addTask<UploadInput, UploadState>(tx, clock, uploadKind, { orgId, input, state: firstState });
}

/** Retries a waiting upload at once. If it has ended, uploads the period again under the same key. */
export async function repeatUpload(ctx: Context, id: string): Promise<Upload> {
  const { db, clock, actor } = ctx;
  const { orgId } = actor;
  return db.transaction().execute(async (tx) => {
    await lockOrganization(tx, orgId);
    const { input } = await getTask<UploadInput, UploadState>(tx, uploadKind, { orgId, id });
    if (!(await scheduledRows.find(tx, { orgId, id: input.scheduledId }))) {
      const message = 'Its scheduled export was deleted, so we do not know where to upload it.';
      throw new PublicError('conflict', 'scheduled_export_deleted', message);
    }
    const waiting = await uploadsUnderWay(tx, orgId, input);
    const upload = waiting[0] ?? (await addUpload(tx, ctx, orgId, input));
    await hastenTasks(tx, clock, uploadKind, { orgId, id: upload.id });
    await recordAudit(tx, ctx, 'export_upload.repeat', upload.id, { file_name: input.fileName });
    return getTask<UploadInput, UploadState>(tx, uploadKind, { orgId, id: upload.id });
  });
}

export function hastenUploads(tx: Transaction, { clock, actor }: Context): Promise<void> {
  return hastenTasks(tx, clock, uploadKind, { orgId: actor.orgId });
}

export async function cancelUploadsOf(
  tx: Transaction,
  { clock, actor }: Context,
  scheduledId: string,
): Promise<void> {
  const { orgId } = actor;
  for (const { id } of await uploadsUnderWay(tx, orgId, { scheduledId }))
    await cancelTask(tx, clock, uploadKind, { orgId, id }).catch((error: unknown) => {
      // A worker has just finished it.
      if (!(error instanceof PublicError && error.kind === 'conflict')) throw error;
    });
}

async function uploadsUnderWay(
  tx: Transaction,
  orgId: string,
  { scheduledId, fileName }: Pick<UploadInput, 'scheduledId'> & { fileName?: string },
): Promise<Upload[]> {
  const all = await listTasksUnderWay<UploadInput, UploadState>(tx, uploadKind, orgId);
  return all.filter(
    ({ input }) => input.scheduledId === scheduledId && (fileName ?? input.fileName) === input.fileName,
  );
}

/** S3 requires at least 5 MiB. One part at a time is in memory. */
const partBytes = 8 * 1024 * 1024;

const minute = 60_000;
const hour = 60 * minute;
/** One week in total. */
const retries: RetrySchedule = {
  delaysMilliseconds: [
    minute,
    5 * minute,
    15 * minute,
    hour,
    3 * hour,
    6 * hour,
    12 * hour,
    ...Array.from({ length: 6 }, () => 24 * hour),
  ],
  maxJitter: 0.1,
  maxAskedMilliseconds: hour,
};

type UploadProgram = Pick<Program, 'db' | 'clock' | 'vault' | 'egress' | 'providers'>;
type Piece = DoPiece<UploadInput, UploadState>;
type Save = Parameters<Piece>[1];

/** Writes rows, then uploads parts. A worker that takes over repeats the same part with the same key. */
export function doUpload(program: UploadProgram, size = partBytes): Piece {
  const { writeRows } = rowWriter(program);
  return async (task, save, signal) => {
    if (task.state.phase === 'rows') return writeRows(task, save);
    const { orgId, input } = task;
    const row = await scheduledRows.find(program.db, { orgId, id: input.scheduledId });
    if (!row) throw notFound('scheduled export');
    const place = placeOf(program, row, input.fileName);
    try {
      await uploadNext(program, { task, save, place, size });
    } catch (error) {
      // Another worker continues at once.
      signal.throwIfAborted();
      if (!(error instanceof StorageError)) throw error;
      await waitForRetry(program, { task, save, place }, error);
    }
  };
}

type Place = { storage: Storage; key: string; location: string; at: string };
type Step = { task: Upload; save: Save; place: Place };

function placeOf(program: UploadProgram, row: ScheduledExportRow, fileName: string): Place {
  const destination = destinationOf(program, row);
  const key = keyOf(row, fileName);
  const location = `${row.bucket}/${key}`;
  return { storage: openStorage(program, destination), key, location, at: `${row.endpoint}/${location}` };
}

async function uploadNext(
  { db, clock }: UploadProgram,
  { task, save, place, size }: Step & { size: number },
): Promise<void> {
  const { storage, key, location, at } = place;
  const { state, input } = task;
  const { contentType } = formats[input.format];
  const finish = async () => {
    // The stored file is removed soon.
    const expiresAt = clock.now().toISOString();
    await save(db, { state: { ...state, phase: 'ready', location, parts: null, expiresAt }, isDone: true });
  };
  if (state.bytes <= size) {
    await storage.put(key, await bytesOf(db, task, { first: 0, last: state.bytes - 1 }), contentType);
    return finish();
  }
  // Ignores a multipart upload that started before the destination changed.
  const parts = state.parts?.at === at ? state.parts : null;
  if (!parts) {
    const uploadId = await storage.begin(key, contentType);
    return save(db, { state: { ...state, location, parts: { at, uploadId, tags: [] } } });
  }
  const { uploadId, tags } = parts;
  const first = tags.length * size;
  if (first >= state.bytes) {
    await storage.complete(key, uploadId, tags);
    return finish();
  }
  const last = Math.min(first + size, state.bytes) - 1;
  const tag = await storage.putPart(key, uploadId, tags.length + 1, await bytesOf(db, task, { first, last }));
  await save(db, { state: { ...state, location, parts: { ...parts, tags: [...tags, tag] } } });
}

async function bytesOf(
  db: Program['db'],
  task: Upload,
  range: { first: number; last: number },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const bytes of readFile(db, task, range)) chunks.push(bytes);
  return Buffer.concat(chunks);
}

async function waitForRetry(
  { db, clock }: UploadProgram,
  { task, save, place }: Step,
  { code, message, retryAfterMilliseconds: askedMilliseconds }: StorageError,
): Promise<void> {
  const { state } = task;
  const failures = (state.failures ?? 0) + 1;
  const failure = { failures, now: clock.now(), random: Math.random(), askedMilliseconds };
  const dueAt = nextAttemptAt(retries, failure);
  if (!dueAt) {
    const isClean = !state.parts || (await abortParts(place, state.parts.uploadId));
    throw new PublicError('unavailable', 'upload_failed', isClean ? message : `${message} ${leftPartsText}`);
  }
  // The storage has forgotten, already combined or rejected the parts, so start again under the same key.
  const isLost = lostPartCodes.has(code ?? '');
  if (isLost && state.parts) await abortParts(place, state.parts.uploadId);
  const parts = isLost ? null : (state.parts ?? null);
  await save(db, {
    state: { ...state, location: place.location, failures, parts },
    dueAt,
    error: message,
  });
}

const lostPartCodes = new Set(['NoSuchUpload', 'InvalidPart', 'InvalidPartOrder']);

/** Storages charge for parts until they are removed. */
async function abortParts({ storage, key }: Place, uploadId: string): Promise<boolean> {
  return storage.abort(key, uploadId).then(
    () => true,
    () => false,
  );
}

const leftPartsText =
  'The parts uploaded so far could not be removed. Remove the unfinished upload, because the storage charges for it.';

export function destinationOf({ vault }: Pick<Program, 'vault'>, row: ScheduledExportRow): Destination {
  return { ...row, secretAccessKey: vault.open(row.secretAccessKey) };
}

export function keyOf({ prefix }: Pick<ScheduledExportRow, 'prefix'>, name: string): string {
  return prefix === '' ? name : `${prefix}/${name}`;
}
