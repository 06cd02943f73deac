import { idParams, pageOf, PageQuery } from '../../platform/http/schemas.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { answerPage } from '../../platform/http/views.ts';
import { NewUsageImportBody, sampleUsageImport, UsageImportSchema } from './schema.ts';
import {
  cancelUsageImport,
  getUsageImport,
  listUsageImports,
  startUsageImport,
  usageImportView,
  type UsageProgram,
} from './usageImport.ts';

const params = idParams(sampleUsageImport);

const tag = 'Backfills';
const read = { tag, access: { scope: 'admin', role: 'viewer' } } as const;
const write = { tag, access: { scope: 'admin', role: 'admin' } } as const;

const verb = verbsWith<VerbContext & UsageProgram>();

export const usageImportVerbs = [
  verb({
    ...read,
    name: 'usage import list',
    at: 'GET /usage-imports',
    title: 'List the imports of usage data',
    page: '/history',
    description: 'Newest first, including nightly ones.',
    query: PageQuery,
    columns: [
      'id',
      ['created_at', 'began'],
      'since',
      'until',
      'status',
      'jobs',
      ['jobs_added', 'added'],
      'error',
    ],
    answer: pageOf(UsageImportSchema),
    isWhole: true,
    run: (ctx, { query }) => {
      const now = ctx.clock.now();
      return answerPage(
        query,
        (page) => listUsageImports(ctx, page),
        (each) => usageImportView(each, now),
      );
    },
  }),
  verb({
    ...read,
    name: 'usage import get',
    at: 'GET /usage-imports/:id',
    title: 'Get an import of usage data',
    params,
    answer: UsageImportSchema,
    faults: [404],
    run: async (ctx, { params: { id } }) => usageImportView(await getUsageImport(ctx, id), ctx.clock.now()),
  }),
  verb({
    ...write,
    name: 'usage import start',
    at: 'POST /usage-imports',
    title: 'Import usage data of CircleCI',
    description:
      "Reads CircleCI's usage data with the token of a source. Each job gets its resource class and parallelism, " +
      'and so its price; jobs that no event reported are added. A repetition changes nothing.',
    body: NewUsageImportBody,
    status: 202,
    answer: UsageImportSchema,
    run: async (ctx, { body: { source_id: sourceId, since, until } }) =>
      usageImportView(await startUsageImport(ctx, { sourceId, since, until }), ctx.clock.now()),
  }),
  verb({
    ...write,
    name: 'usage import cancel',
    at: 'POST /usage-imports/:id/cancel',
    title: 'Cancel an import of usage data',
    description: 'Jobs that were read keep what they got.',
    params,
    answer: UsageImportSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id } }) =>
      usageImportView(await cancelUsageImport(ctx, id), ctx.clock.now()),
  }),
];
