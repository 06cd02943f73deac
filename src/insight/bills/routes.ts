import { Readable } from 'node:stream';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { errorCodes, type FastifyReply, type FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { dataOf, IdParams, PageQuery, responses } from '../../platform/http/schemas.ts';
import { pageAsked, paginationView } from '../../platform/http/views.ts';
import { invalid, PublicError } from '../../platform/lib/errors.ts';
import { importReport, withSpooled } from './importReport.ts';
import { findVersion, reconcile } from './reconcile.ts';
import { deleteReport, getReport, importView, listReports, reportView } from './reports.ts';
import { type Reconciliation, reconciliationView } from './rows.ts';
import {
  ImportQuery,
  OneImport,
  OneReport,
  ReconciliationQuery,
  ReconciliationSchema,
  ReportsSchema,
} from './schema.ts';

const tags = ['Bills'];
const reader = { access: { scope: 'costs:read', role: 'viewer' } } as const;
const admin = { access: { scope: 'admin', role: 'admin' } } as const;

/** GitHub's usage reports, and how they agree with what was recorded. */
export function billRoutes(): FastifyPluginCallbackTypebox {
  const inTurn = createTurns();
  const kept = keepLatest<Reconciliation>();

  return (server, _options, done) => {
    server.register(importRoutes);
    server.register(reportRoutes);
    server.get(
      '/bills/reconciliation',
      {
        config: reader,
        schema: {
          tags,
          summary: 'Compare our costs with the bill',
          description:
            'What was recorded beside what imported reports say, and why they differ. Without `from` and `to`: the ' +
            'days that the reports are about. At most 93 days with `by=all`, 366 otherwise. An organization has one at a ' +
            'time; few may wait.',
          querystring: ReconciliationQuery,
          response: responses(200, ReconciliationSchema),
        },
      },
      async (request, reply) => {
        const { page, per_page, ...asked } = request.query;
        const ctx = request.ctx;
        const { orgId } = ctx.actor;
        const found = await inTurn(orgId, async () => {
          const key = JSON.stringify([orgId, asked, await findVersion(ctx, asked)]);
          return kept(key, () => reconcile(ctx, asked));
        });
        if (found) return reconciliationView(found, pageAsked({ page, per_page }));
        reply.header('retry-after', '5');
        throw tooManyWait;
      },
    );
    done();
  };
}

const tooManyWait = new PublicError(
  'rate_limited',
  'reconciliation_busy',
  'Others wait for a comparison of this organization already. Try again in 5 seconds.',
);

const largestReport = 256 * 1024 * 1024;

const importRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.removeAllContentTypeParsers();
  // The file goes past memory: the handler reads it as it comes.
  server.addContentTypeParser('text/csv', (_request, payload, parsed) => parsed(null, payload));
  server.post(
    '/bills/reports',
    {
      config: admin,
      // It is a stream, which no schema can check.
      validatorCompiler: (route) =>
        route.httpPart === 'body' ? () => true : (server.validatorCompiler as never as Compile)(route),
      schema: {
        tags,
        summary: 'Import a usage report',
        description:
          "GitHub's metered usage report (summarised, detailed or legacy) as CSV, up to 256 MiB. Lines that cannot " +
          'be read are left out and named. The same file again answers 200 with the report that is there: it does not ' +
          'become the latest; delete it and import it again for that. A sender that leaves imports nothing. Nothing is ' +
          'imported of a file that is cut off (`report_cut_off`), holds two reports (`two_reports`), is compressed, ' +
          'is UTF-16 or UTF-32, or ends its lines with carriage returns alone (`no_usage_report`). Dates with slashes are month/day. If one is day/month, the answer is ' +
          '`date_order_mismatch` unless `date_order` is `dmy`; if some are one and some the other, `date_orders_mixed`; ' +
          'if all can be either, `date_order_required` without `date_order`.',
        consumes: ['text/csv'],
        querystring: ImportQuery,
        body: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }),
        response: { ...responses(201, OneImport, [409, 413, 415]), 200: OneImport },
      },
    },
    async (request, reply) => {
      const ctx = request.ctx;
      const { file_name: name, date_order: dateOrder } = request.query as ImportAsked;
      const signal = leavingOf(reply);
      const imported = await withSpooled(streamOf(request), { maxBytes: largestReport, tooLarge }, (path) =>
        importReport(ctx, { path, name }, { dateOrder, signal }),
      );
      const view = importView(await getReport(ctx, imported.report.id), imported);
      return reply.status(imported.isNew ? 201 : 200).send({ data: view });
    },
  );
  done();
};

/** Aborts when the connection closes before it has been answered. */
function leavingOf({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController();
  raw.once('close', () => left.abort());
  return left.signal;
}

type ImportAsked = Type.Static<typeof ImportQuery>;
type Compile = (route: unknown) => () => boolean;

function streamOf({ body, headers }: FastifyRequest): Readable {
  if (!(body instanceof Readable))
    throw invalid('body', 'must be the CSV file, with the content type text/csv');
  if (Number(headers['content-length']) > largestReport) throw tooLarge();
  return body;
}

function tooLarge(): Error {
  return new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
}

const reportRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/bills/reports',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List the imported usage reports',
        description: 'The latest first: of reports that cover the same day, the latest counts.',
        querystring: PageQuery,
        response: responses(200, ReportsSchema),
      },
    },
    async (request) => {
      const asked = pageAsked(request.query);
      const { reports, total } = await listReports(request.ctx, asked);
      return {
        data: reports.map(reportView),
        pagination: paginationView(asked, total),
      };
    },
  );

  server.get(
    '/bills/reports/:id',
    {
      config: reader,
      schema: {
        tags,
        summary: 'Get a usage report',
        params: IdParams,
        response: responses(200, OneReport, [404]),
      },
    },
    async (request) => ({ data: reportView(await getReport(request.ctx, request.params.id)) }),
  );

  server.delete(
    '/bills/reports/:id',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Delete a usage report',
        description: 'Days that it alone covers have no bill any more.',
        params: IdParams,
        response: responses(
          200,
          dataOf(Type.Object({ id: Type.String(), deleted: Type.Literal(true) })),
          [404],
        ),
      },
    },
    async (request) => {
      const { id } = request.params;
      await deleteReport(request.ctx, id);
      return { data: { id, deleted: true as const } };
    },
  );
  done();
};

const mostWaiting = 3;

/**
 * Has work of the same key done one after the other: what takes much memory is not done twice at a time. Answers null,
 * and does nothing, where some wait already.
 */
function createTurns() {
  const queues = new Map<string, { members: number; last: Promise<unknown> }>();

  return async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T | null> {
    const queue = queues.get(key) ?? { members: 0, last: Promise.resolve() };
    if (queue.members > mostWaiting) return null;
    queues.set(key, queue);
    queue.members++;
    const mine = queue.last.then(work).finally(() => {
      if (--queue.members === 0) queues.delete(key);
    });
    queue.last = mine.catch(() => {});
    return mine;
  };
}

const keptMilliseconds = 60_000;

/**
 * Keeps what was worked out last, as somebody may turn its pages: under a key that says what it was made of, and for a
 * minute at most. No more than one, for it can be large.
 */
function keepLatest<T>() {
  let kept: { key: string; result: T } | null = null;

  return async (key: string, work: () => Promise<T>): Promise<T> => {
    if (kept?.key === key) return kept.result;
    const latest = { key, result: await work() };
    kept = latest;
    setTimeout(() => {
      if (kept === latest) kept = null;
    }, keptMilliseconds).unref();
    return latest.result;
  };
}
