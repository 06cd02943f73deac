import { idParams, PageQuery } from '../../platform/http/schemas.ts';
import { deletes, verb } from '../../platform/http/verbs.ts';
import { answerPage } from '../../platform/http/views.ts';
import { deleteReport, getReport, listReports, reportView } from './reports.ts';
import { ReportSchema, ReportsSchema } from './schema.ts';

const sampleId = 'bill_4e8a2c6f0b1d9735e6c4';
const params = idParams(sampleId);

const tag = 'Bills';
const read = { tag, access: { scope: 'costs:read', role: 'viewer' } } as const;

export const billReportVerbs = [
  verb({
    ...read,
    name: 'bill list',
    at: 'GET /bills/reports',
    title: 'List the bill reports',
    page: '/bill',
    description: 'Latest first. If reports cover the same day, the latest counts.',
    query: PageQuery,
    answer: ReportsSchema,
    isWhole: true,
    columns: [
      ['id', 'report'],
      ['file_name', 'file'],
      'format',
      ['period.start', 'from'],
      ['period.end', 'to'],
      ['lines.read', 'lines'],
      ['lines.kept', 'kept'],
      ['lines.skipped', 'skipped'],
      ['totals.gross', 'gross'],
      ['totals.net', 'net'],
    ],
    run: (ctx, { query }) => answerPage(query, (page) => listReports(ctx, page), reportView),
  }),
  verb({
    ...read,
    name: 'bill get',
    at: 'GET /bills/reports/:id',
    title: 'Get a bill report',
    params,
    answer: ReportSchema,
    faults: [404],
    run: async (ctx, { params: { id } }) => reportView(await getReport(ctx, id)),
  }),
  verb({
    tag,
    access: { scope: 'admin', role: 'admin' },
    name: 'bill delete',
    at: 'DELETE /bills/reports/:id',
    title: 'Delete a bill report',
    description: 'Days that only this report covers have no bill afterwards.',
    ...deletes(sampleId, deleteReport),
    faults: [404],
  }),
];
