import { idParams, PageQuery } from '../../platform/http/schemas.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { answerPage } from '../../platform/http/views.ts';
import { isCommandLine } from '../../platform/lib/actor.ts';
import {
  cancelExport,
  createExport,
  exportView,
  getExport,
  listExports,
  maxAtOnce,
  type Export,
} from './exports.ts';
import { ExportSchema, ExportsSchema, NewExportBody } from './schema.ts';

const params = idParams('exp_8b5d1f7e3a9c0462d7f1');

const tag = 'Exports';
const read = { tag, access: { scope: 'costs:read', role: 'viewer' } } as const;
const write = { tag, access: { scope: 'exports:write', role: 'member' } } as const;

type ExportContext = VerbContext & { publicUrl: () => string };

const verb = verbsWith<ExportContext>();

export const exportVerbs = [
  verb({
    ...write,
    name: 'export create',
    at: 'POST /exports',
    title: 'Create an export',
    page: '/exports?new=export',
    description:
      `Writes the file in the background; \`export.ready\` announces it. At most ${maxAtOnce} exports ` +
      'of an organization run at a time. The days are cut to the plan, except for the operator.',
    body: NewExportBody,
    status: 201,
    answer: ExportSchema,
    faults: [409],
    run: async (ctx, { body }) =>
      viewOf(ctx, await createExport(ctx, body, isCommandLine(ctx.actor) ? null : ctx.plan)),
  }),
  verb({
    ...read,
    name: 'export list',
    at: 'GET /exports',
    title: 'List the exports',
    page: '/exports',
    description: 'Newest first.',
    query: PageQuery,
    columns: ['id', 'dataset', 'format', 'from', 'to', 'status', 'rows', ['expires_at', 'kept until']],
    answer: ExportsSchema,
    isWhole: true,
    run: (ctx, { query }) =>
      answerPage(
        query,
        (page) => listExports(ctx, page),
        (each) => viewOf(ctx, each),
      ),
  }),
  verb({
    ...read,
    name: 'export get',
    at: 'GET /exports/:id',
    title: 'Get an export',
    params,
    answer: ExportSchema,
    faults: [404],
    run: async (ctx, { params: { id } }) => viewOf(ctx, await getExport(ctx, id)),
  }),
  verb({
    ...write,
    name: 'export cancel',
    at: 'POST /exports/:id/cancel',
    title: 'Cancel an export',
    description: 'Deletes what was written of its file.',
    params,
    answer: ExportSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id } }) => viewOf(ctx, await cancelExport(ctx, id)),
  }),
];

function viewOf({ publicUrl, clock }: ExportContext, found: Export) {
  return exportView(found, { publicUrl: publicUrl(), now: clock.now() });
}
