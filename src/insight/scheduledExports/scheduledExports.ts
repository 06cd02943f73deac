import { isIP } from 'node:net';
import type { Context } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { ourFields } from '../../platform/lib/apiFields.ts';
import { startUpTo } from '../../platform/lib/days.ts';
import { invalid, notFound } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { differences, recordAudit } from '../../tenancy/audit/audit.ts';
import { getOrganization, requireRoom } from '../../tenancy/organizations/organizations.ts';
import type { StoredDataset } from '../exports/datasets.ts';
import { shownDataset, storedDataset } from '../exports/versions.ts';
import { currentStart, dueAt, latestStart, periodFrom } from './periods.ts';
import { type ScheduledExportRow, scheduledRows } from './queries.ts';
import type { ScheduledExportChanges, ScheduledExportInput } from './schema.ts';
import { destinationForms, openStorage, StorageError } from './storage.ts';
import { cancelUploadsOf, destinationOf, hastenUploads, keyOf } from './uploads.ts';

export type ScheduledExport = ScheduledExportRow;

export const maxScheduledExports = 20;

export function listScheduledExports({ db, actor }: Pick<Context, 'db' | 'actor'>) {
  return scheduledRows.list(db, { orgId: actor.orgId }, 'createdAt', 'id');
}

export async function createScheduledExport(
  ctx: Context,
  input: ScheduledExportInput,
): Promise<ScheduledExport> {
  const { db, actor, clock, vault } = ctx;
  const { orgId } = actor;
  const { format, frequency } = input;
  const { region = 'us-east-1', prefix = '', path_style: pathStyle = true, enabled = true } = input;
  requireForms(input);
  const now = clock.now();
  const weekStart = await weekStartOf(db, orgId);
  const nextStart = latestStart(now, frequency, weekStart);
  const row: ScheduledExport = {
    orgId,
    id: randomId('sxp'),
    dataset: storedDataset(input),
    format,
    frequency,
    endpoint: originOf(input.endpoint),
    region,
    bucket: input.bucket,
    prefix: readPrefix(prefix),
    accessKeyId: input.access_key_id,
    secretAccessKey: vault.seal(input.secret_access_key),
    pathStyle,
    enabled,
    nextStart,
    nextAt: dueAt(periodFrom(nextStart, frequency, weekStart)),
    createdAt: now,
    updatedAt: now,
  };
  requireReachable(ctx, row);
  await db.transaction().execute(async (tx) => {
    await requireRoom(tx, orgId, {
      things: 'scheduled exports',
      max: maxScheduledExports,
      count: () => scheduledRows.count(tx, { orgId }),
      advice: 'Delete one first.',
    });
    await scheduledRows.insert(tx, row);
    await recordAudit(tx, ctx, 'scheduled_export.create', row.id, namedByTheApi(row));
  });
  return row;
}

/** Changes the given fields. Uploads that wait for a retry go to the changed destination at once. */
export async function updateScheduledExport(
  ctx: Context,
  id: string,
  changes: ScheduledExportChanges,
): Promise<ScheduledExport> {
  const { db, actor, clock, vault } = ctx;
  const { orgId } = actor;
  requireForms(changes);
  const now = clock.now();
  const weekStart = await weekStartOf(db, orgId);
  return db.transaction().execute(async (tx) => {
    const before = await scheduledRows.lock(tx, { orgId, id });
    if (!before) throw notFound('scheduled export');
    const { secret_access_key: secret, endpoint, prefix, dataset: _, version: __, ...others } = changes;
    const given = {
      ...ourFields(others),
      dataset: datasetAfter(before.dataset, changes),
      ...(endpoint !== undefined && { endpoint: originOf(endpoint) }),
      ...(prefix !== undefined && { prefix: readPrefix(prefix) }),
      ...(secret !== undefined && { secretAccessKey: vault.seal(secret) }),
    };
    const after: ScheduledExport = { ...before, ...given, updatedAt: now };
    if (after.frequency !== before.frequency)
      after.nextStart = startUpTo(before.nextStart, after.frequency, weekStart);
    // Periods that ended while it was off are skipped.
    const current = currentStart(now, after.frequency, weekStart);
    if (after.enabled && !before.enabled && after.nextStart < current) after.nextStart = current;
    after.nextAt = dueAt(periodFrom(after.nextStart, after.frequency, weekStart));
    requireReachable(ctx, after);
    await scheduledRows.change(tx, before, after);
    await hastenUploads(tx, ctx);
    const details = differences(namedByTheApi(before), namedByTheApi(after));
    if (details || secret !== undefined) {
      const replaced = secret === undefined ? {} : { secret_access_key: 'replaced' };
      await recordAudit(tx, ctx, 'scheduled_export.update', id, { ...details, ...replaced });
    }
    return after;
  });
}

/** Cancels pending uploads. Files in the storage stay. */
export async function deleteScheduledExport(ctx: Context, id: string): Promise<void> {
  const { db, actor } = ctx;
  await db.transaction().execute(async (tx) => {
    const row = await scheduledRows.lock(tx, { orgId: actor.orgId, id });
    if (!row) throw notFound('scheduled export');
    await cancelUploadsOf(tx, ctx, id);
    await scheduledRows.remove(tx, row);
    await recordAudit(tx, ctx, 'scheduled_export.delete', id, namedByTheApi(row));
  });
}

export type TestResult = { location: string; error: string | null };

/** Writes a small file next to the exports and leaves it there, because not every key may delete. */
export async function testScheduledExport(ctx: Context, id: string): Promise<TestResult> {
  const { db, actor, clock } = ctx;
  const row = await scheduledRows.find(db, { orgId: actor.orgId, id });
  if (!row) throw notFound('scheduled export');
  const key = keyOf(row, 'runcost-test.txt');
  const text = `Runcost can write here. ${clock.now().toISOString()}\n`;
  const error = await openStorage(ctx, destinationOf(ctx, row))
    .put(key, Buffer.from(text), 'text/plain')
    .then(
      () => null,
      (thrown: unknown) => {
        if (thrown instanceof StorageError) return thrown.message;
        throw thrown;
      },
    );
  const location = `${row.bucket}/${key}`;
  await db
    .transaction()
    .execute((tx) => recordAudit(tx, ctx, 'scheduled_export.test', id, { location, error }));
  return { location, error };
}

/** Another dataset has its own version. */
function datasetAfter(
  before: StoredDataset,
  { dataset, version }: Pick<ScheduledExportChanges, 'dataset' | 'version'>,
): StoredDataset {
  if (dataset === undefined && version === undefined) return before;
  const { dataset: known } = shownDataset(before);
  const kept = dataset === undefined || dataset === known ? shownDataset(before).version : null;
  return storedDataset({ dataset: dataset ?? known, version: version ?? kept ?? undefined });
}

function namedByTheApi(row: ScheduledExport) {
  const { dataset, format, frequency, endpoint, region, bucket, prefix, accessKeyId, pathStyle, enabled } =
    row;
  return {
    ...shownDataset(dataset),
    format,
    frequency,
    endpoint,
    region,
    bucket,
    prefix,
    access_key_id: accessKeyId,
    path_style: pathStyle,
    enabled,
  };
}

async function weekStartOf(db: Database | Transaction, orgId: string): Promise<string> {
  return (await getOrganization({ db, actor: { orgId } })).calendar.weekStart;
}

/** Command line input has no schema. */
function requireForms(given: ScheduledExportChanges): void {
  for (const [name, { pattern, text }] of Object.entries(destinationForms)) {
    const value = given[name as keyof typeof destinationForms];
    if (value !== undefined && !pattern.test(value)) throw invalid(name, `must be ${text}`);
  }
}

function originOf(endpoint: string): string {
  const url = URL.parse(endpoint);
  if (url && (url.pathname !== '/' || url.search || url.hash)) {
    throw invalid('endpoint', 'must be an address without a path: bucket and prefix are fields of their own');
  }
  return url && url.origin !== 'null' && !url.username && !url.password ? url.origin : endpoint;
}

function readPrefix(text: string): string {
  const prefix = text.replace(/^\/+|\/+$/g, '');
  if (prefix.split('/').some((part) => (part === '' && prefix !== '') || part === '.' || part === '..')) {
    throw invalid('prefix', 'must not have a part that is empty, . or ..');
  }
  return prefix;
}

function requireReachable({ egress }: Context, { endpoint, bucket, pathStyle }: ScheduledExport): void {
  const fault = egress.faultOf(endpoint);
  if (fault !== null) throw invalid('endpoint', fault);
  if (pathStyle) return;
  const { protocol, host, hostname } = new URL(endpoint);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) || egress.faultOf(`${protocol}//${bucket}.${host}`) !== null) {
    throw invalid('path_style', 'must be true: a bucket cannot be part of this host');
  }
}
