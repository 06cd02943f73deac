import { idParams, pageOf, PageQuery } from '../../platform/http/schemas.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { answerPage } from '../../platform/http/views.ts';
import type { BackfillProgram } from '../backfills/backfill.ts';
import { cancelReading, getReading, listReadings, readingView, startReading } from './reading.ts';
import { NewReadingBody, ReadingSchema } from './schema.ts';

const params = idParams('sto_3b8d0f6a2c4e9175d8a0');

const tag = 'Storage';
const read = { tag, access: { scope: 'admin', role: 'viewer' } } as const;
const write = { tag, access: { scope: 'admin', role: 'admin' } } as const;

const verb = verbsWith<VerbContext & BackfillProgram>();

export const storageReadingVerbs = [
  verb({
    ...write,
    name: 'storage reading start',
    at: 'POST /storage/readings',
    title: 'Read what GitHub stores',
    description:
      'Reads the artifacts and caches of repositories with the credentials of a source, which need the repository ' +
      'permission "Actions: read". Every source with credentials is also read once a day. ' +
      'Answers with the reading of the same repositories that is under way, if there is one.',
    body: NewReadingBody,
    bodyIsOptional: true,
    status: 202,
    answer: ReadingSchema,
    run: async (ctx, { body }) => readingView(await startReading(ctx, body), ctx.clock.now()),
  }),
  verb({
    ...write,
    name: 'storage reading cancel',
    at: 'POST /storage/readings/:id/cancel',
    title: 'Cancel a reading of storage',
    description: 'What it has read stays.',
    params,
    answer: ReadingSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id } }) => readingView(await cancelReading(ctx, id), ctx.clock.now()),
  }),
  verb({
    ...read,
    name: 'storage reading get',
    at: 'GET /storage/readings/:id',
    title: 'Get a reading of storage',
    params,
    answer: ReadingSchema,
    faults: [404],
    run: async (ctx, { params: { id } }) => readingView(await getReading(ctx, id), ctx.clock.now()),
  }),
  verb({
    ...read,
    name: 'storage reading list',
    at: 'GET /storage/readings',
    title: 'List the readings of storage',
    description: 'Newest first, including the nightly ones.',
    query: PageQuery,
    answer: pageOf(ReadingSchema),
    isWhole: true,
    columns: [
      ['id', 'reading'],
      ['created_at', 'began'],
      'status',
      ['progress.done', 'repositories'],
      'error',
    ],
    run: (ctx, { query }) => {
      const now = ctx.clock.now();
      return answerPage(
        query,
        (page) => listReadings(ctx, page),
        (each) => readingView(each, now),
      );
    },
  }),
];
