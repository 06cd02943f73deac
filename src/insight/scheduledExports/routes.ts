import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { dataOf, deletedOf, idParams, PageQuery, responses } from '../../platform/http/schemas.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
import {
  createScheduledExport,
  deleteScheduledExport,
  listScheduledExports,
  maxScheduledExports,
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
import { listUploads, repeatUpload } from './uploads.ts';
import { scheduledExportView, uploadView } from './views.ts';

const sampleId = 'sxp_5c1f0a9e7b3d4826f1a0';
const params = idParams(sampleId);
const tags = ['Exports'];
const admin = { access: { scope: 'admin', role: 'admin' } } as const;

export const scheduledExportRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.register(allRoutes);
  server.register(oneRoutes);
  server.register(uploadRoutes);
  done();
};

const allRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/scheduled-exports',
    {
      config: admin,
      schema: {
        tags,
        summary: 'List the scheduled exports',
        description: 'The oldest first. Secret keys are never returned.',
        response: responses(200, dataOf(Type.Array(ScheduledExportSchema))),
      },
    },
    async (request) => {
      const rows = await listScheduledExports(request.ctx);
      return { data: await Promise.all(rows.map((row) => scheduledExportView(request.ctx, row))) };
    },
  );

  server.post(
    '/scheduled-exports',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Create a scheduled export',
        description:
          'Uploads an export of each day, week or month to a bucket of Amazon S3 or a storage with its API. Begins with ' +
          `the latest period that is over. An organization can have ${maxScheduledExports}.`,
        body: NewScheduledExportBody,
        response: responses(201, dataOf(ScheduledExportSchema), [409]),
      },
    },
    async (request, reply) => {
      const created = await createScheduledExport(request.ctx, request.body);
      return reply.status(201).send({ data: await scheduledExportView(request.ctx, created) });
    },
  );
  done();
};

const oneRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.put(
    '/scheduled-exports/:id',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Change a scheduled export',
        description:
          'Changes the fields that you send. Uploads that wait for another try are tried again at once, with the changes.',
        params,
        body: ScheduledExportChangesBody,
        response: responses(200, dataOf(ScheduledExportSchema), [404]),
      },
    },
    async (request) => {
      const changed = await updateScheduledExport(request.ctx, request.params.id, request.body);
      return { data: await scheduledExportView(request.ctx, changed) };
    },
  );

  server.delete(
    '/scheduled-exports/:id',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Delete a scheduled export',
        description: 'Cancels its uploads that wait. Files in the storage stay.',
        params,
        response: responses(200, dataOf(deletedOf(sampleId)), [404]),
      },
    },
    async (request) => {
      await deleteScheduledExport(request.ctx, request.params.id);
      return { data: { id: request.params.id, deleted: true as const } };
    },
  );

  server.post(
    '/scheduled-exports/:id/test',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Test the destination of a scheduled export',
        description:
          'Writes the file `runcost-test.txt` beside its files. Answers 200 also where that fails.',
        params,
        response: responses(200, dataOf(TestedSchema), [404]),
      },
    },
    async (request) => {
      const { location, error } = await testScheduledExport(request.ctx, request.params.id);
      return { data: { location, written: error === null, error } };
    },
  );
  done();
};

const uploadRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/export-uploads',
    {
      config: admin,
      schema: {
        tags,
        summary: 'List the uploads of scheduled exports',
        description: 'Newest first; kept for 90 days.',
        querystring: PageQuery,
        response: responses(200, UploadsSchema),
      },
    },
    async (request) => {
      const page = readPagination(request.query);
      const { uploads, total } = await listUploads(request.ctx, page);
      return { data: uploads.map(uploadView), pagination: paginationView(page, total) };
    },
  );

  server.post(
    '/export-uploads/:id/repeat',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Repeat an upload',
        description:
          'Tries an upload that waits at once. Uploads the period of one that ended again, under the same key.',
        params: idParams('upl_8b5d1f7e3a9c0462d7f1'),
        response: responses(200, dataOf(UploadSchema), [404, 409]),
      },
    },
    async (request) => ({ data: uploadView(await repeatUpload(request.ctx, request.params.id)) }),
  );
  done();
};
