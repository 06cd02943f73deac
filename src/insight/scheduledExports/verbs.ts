import { Type } from 'typebox';
import type { Context } from '../../context.ts';
import { idParams, PageQuery } from '../../platform/http/schemas.ts';
import { deletes, verb } from '../../platform/http/verbs.ts';
import { answerPage, taskView } from '../../platform/http/views.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { getOrganization } from '../../tenancy/organizations/organizations.ts';
import { shownDataset } from '../exports/versions.ts';
import { periodFrom } from './periods.ts';
import {
  createScheduledExport,
  deleteScheduledExport,
  listScheduledExports,
  maxScheduledExports,
  type ScheduledExport,
  testScheduledExport,
  updateScheduledExport,
} from './scheduledExports.ts';
import {
  NewScheduledExportBody,
  ScheduledExportChangesBody,
  ScheduledExportSchema,
  TestedSchema,
  UploadSchema,
  UploadsSchema,
} from './schema.ts';
import { listUploads, repeatUpload, type Upload } from './uploads.ts';

const sampleId = 'sxp_5c1f0a9e7b3d4826f1a0';
const params = idParams(sampleId);
const admin = { tag: 'Exports', access: { scope: 'admin', role: 'admin' } } as const;

export const scheduledExportVerbs = [
  verb({
    ...admin,
    name: 'scheduled-export list',
    at: 'GET /scheduled-exports',
    title: 'List the scheduled exports',
    page: '/exports',
    description: 'The oldest first. Secret keys are never returned.',
    columns: [
      'id',
      'dataset',
      'format',
      'frequency',
      'endpoint',
      'bucket',
      'prefix',
      ['enabled', 'on'],
      ['next_at', 'next'],
    ],
    answer: Type.Array(ScheduledExportSchema),
    run: async (ctx) => {
      const rows = await listScheduledExports(ctx);
      return Promise.all(rows.map((row) => scheduledExportView(ctx, row)));
    },
  }),
  verb({
    ...admin,
    name: 'scheduled-export create',
    at: 'POST /scheduled-exports',
    title: 'Create a scheduled export',
    description:
      'Uploads an export of each day, week or month to a bucket of Amazon S3 or a storage with its API. Begins with ' +
      `the latest period that is over. An organization can have ${maxScheduledExports}.`,
    body: NewScheduledExportBody,
    status: 201,
    answer: ScheduledExportSchema,
    faults: [409],
    run: async (ctx, { body }) => scheduledExportView(ctx, await createScheduledExport(ctx, body)),
  }),
  verb({
    ...admin,
    name: 'scheduled-export update',
    at: 'PUT /scheduled-exports/:id',
    title: 'Change a scheduled export',
    description:
      'Changes the fields that you send. Uploads that wait for another try are tried again at once, with the changes.',
    params,
    body: ScheduledExportChangesBody,
    answer: ScheduledExportSchema,
    faults: [404],
    run: async (ctx, { params: { id }, body }) =>
      scheduledExportView(ctx, await updateScheduledExport(ctx, id, body)),
  }),
  verb({
    ...admin,
    name: 'scheduled-export delete',
    at: 'DELETE /scheduled-exports/:id',
    title: 'Delete a scheduled export',
    description: 'Cancels its uploads that wait. Files in the storage stay.',
    ...deletes(sampleId, deleteScheduledExport),
    faults: [404],
  }),
  verb({
    ...admin,
    name: 'scheduled-export test',
    at: 'POST /scheduled-exports/:id/test',
    title: 'Test the destination of a scheduled export',
    description: 'Writes the file `runcost-test.txt` beside its files. Answers 200 also where that fails.',
    params,
    answer: TestedSchema,
    faults: [404],
    run: async (ctx, { params: { id } }) => {
      const { location, error } = await testScheduledExport(ctx, id);
      return { location, written: error === null, error };
    },
  }),
  verb({
    ...admin,
    name: 'scheduled-export upload list',
    at: 'GET /export-uploads',
    title: 'List the uploads of scheduled exports',
    page: '/exports',
    description: 'Newest first; kept for 90 days.',
    query: PageQuery,
    columns: [
      ['id', 'upload'],
      ['file_name', 'file'],
      'location',
      'status',
      ['next_attempt_at', 'next attempt'],
      'error',
    ],
    answer: UploadsSchema,
    isWhole: true,
    run: (ctx, { query }) => answerPage(query, (page) => listUploads(ctx, page), uploadView),
  }),
  verb({
    ...admin,
    name: 'scheduled-export upload repeat',
    at: 'POST /export-uploads/:id/repeat',
    title: 'Repeat an upload',
    description:
      'Tries an upload that waits at once. Uploads the period of one that ended again, under the same key.',
    params: idParams('upl_8b5d1f7e3a9c0462d7f1'),
    answer: UploadSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id } }) => uploadView(await repeatUpload(ctx, id)),
  }),
];

async function scheduledExportView({ db }: Pick<Context, 'db'>, row: ScheduledExport) {
  const { calendar } = await getOrganization({ db, actor: row });
  const { secretAccessKey: _, ...shown } = row;
  return {
    ...apiFields(shown),
    ...shownDataset(row.dataset),
    next_period: row.enabled ? periodFrom(row.nextStart, row.frequency, calendar.weekStart) : null,
    next_at: row.enabled ? row.nextAt : null,
  };
}

function uploadView(upload: Upload) {
  const { id, input, state, done, status, dueAt } = upload;
  const isWaiting = (status === 'queued' || status === 'running') && (state.failures ?? 0) > 0;
  return {
    ...apiFields(input),
    ...shownDataset(input.dataset),
    id,
    scheduled_export_id: input.scheduledId,
    location: state.location ?? null,
    rows: Number(done),
    bytes: state.bytes,
    failures: state.failures ?? 0,
    next_attempt_at: isWaiting ? dueAt : null,
    ...taskView(upload),
  };
}
