import { Readable } from 'node:stream';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { errorCodes, type FastifyRequest } from 'fastify';
import type { Type } from 'typebox';
import { createSharedReads } from '../../platform/db/sharedReads.ts';
import { leavingOf } from '../../platform/http/leaving.ts';
import { dataOf, deletedOf, idParams, PageQuery, responses } from '../../platform/http/schemas.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
import { invalid, PublicError } from '../../platform/lib/errors.ts';
import { importReport, tryImport, withSpooled } from './importReport.ts';
import {
  findVersion,
  reconcile,
  sumBilledMonths,
  type BilledMonths,
  type ReconcileContext,
} from './reconcile.ts';
import { deleteReport, getReport, importView, listReports, reportView, triedView } from './reports.ts';
import { billedMonthView, type Reconciliation, reconciliationView } from './rows.ts';
import {
  BilledMonthsSchema,
  ImportQuery,
  OneImport,
  OneKnownImport,
  OneReport,
  ReconciliationQuery,
  ReconciliationSchema,
  ReportFile,
  ReportsSchema,
} from './schema.ts';

const params = idParams('bill_4e8a2c6f0b1d9735e6c4');

const tags = ['Bills'];
const reader = { access: { scope: 'costs:read', role: 'viewer' } } as const;
const admin = { access: { scope: 'admin', role: 'admin' } } as const;

export function billRoutes({ log }: Pick<ReconcileContext, 'log'>): FastifyPluginCallbackTypebox {
  const inTurn = createTurns();
  const kept = keepLatest<Reconciliation>();
  const share = createSharedReads<BilledMonths>();

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
            'Compares recorded costs with imported bill reports and explains the differences. By default, ' +
            'covers the days of the reports. At most 93 days with `by=all`, otherwise 366. An organization ' +
            'can have one running comparison and a few waiting ones.',
          querystring: ReconciliationQuery,
          response: responses(200, ReconciliationSchema),
        },
      },
      async (request, reply) => {
        const { page, per_page, ...asked } = request.query;
        const ctx = { ...request.ctx, log };
        const { orgId } = ctx.actor;
        const found = await inTurn(orgId, async () => {
          const key = JSON.stringify([orgId, asked, await findVersion(ctx, asked)]);
          return kept(key, () => reconcile(ctx, asked));
        });
        if (found) return reconciliationView(found, readPagination({ page, per_page }));
        reply.header('retry-after', '5');
        throw tooManyWait;
      },
    );
    server.get(
      '/bills/months',
      {
        config: reader,
        schema: {
          tags,
          summary: 'Sum the bill by month',
          description:
            'What the reports bill in each month, for everything and by product. `compute` is what ' +
            '`GET /api/v1/bills/reconciliation?by=month` has as `bill_net`, but without the comparison. At most 366 days.',
          response: responses(200, BilledMonthsSchema),
        },
      },
      async ({ ctx }) => {
        const sums = await share(`${ctx.actor.orgId} ${ctx.plan}`, () => sumBilledMonths(ctx));
        return { data: [...sums].map(([month, byProduct]) => billedMonthView(month, byProduct)) };
      },
    );
    done();
  };
}

const tooManyWait = new PublicError(
  'rate_limited',
  'reconciliation_busy',
  'Other comparisons of this organization are waiting. Try again in 5 seconds.',
);

const largestReport = 256 * 1024 * 1024;

const importRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.removeAllContentTypeParsers();
  // The handler reads the file as a stream.
  server.addContentTypeParser('text/csv', (_request, payload, parsed) => parsed(null, payload));
  server.post(
    '/bills/reports',
    {
      config: admin,
      validatorCompiler: (route) =>
        route.httpPart === 'body' ? () => true : (server.validatorCompiler as never as Compile)(route),
      schema: {
        tags,
        summary: 'Import a bill report',
        description:
          "GitHub's metered usage report (summarized, detailed or legacy) as CSV, up to 256 MiB unpacked. Unreadable " +
          'lines are skipped and listed. The same file again answers 200 with the existing report, which ' +
          'does not become the latest. To make it the latest, delete it first. If the sender disconnects, nothing is ' +
          'imported. A file is refused if it is cut off (`report_cut_off`), holds two reports ' +
          '(`two_reports`), is compressed, is UTF-16 or UTF-32, or ends its lines with carriage returns ' +
          'only (`no_usage_report`). Dates with slashes are month/day. A day/month date answers ' +
          '`date_order_mismatch` unless `date_order` is `dmy`; a mix answers `date_orders_mixed`; ' +
          'dates that fit both answer `date_order_required` without `date_order`. `dry_run=true` answers 200 ' +
          'with what would be imported, and changes nothing.',
        consumes: ['text/csv'],
        querystring: ImportQuery,
        body: ReportFile,
        response: { ...responses(201, OneImport, [409, 413, 415]), 200: OneKnownImport },
      },
    },
    async (request, reply) => {
      const ctx = request.ctx;
      const { file_name: name, date_order: dateOrder, dry_run: isDryRun } = request.query as ImportAsked;
      const signal = leavingOf(reply);
      const read = isDryRun ? tryImport : importReport;
      const imported = await withSpooled(streamOf(request), { maxBytes: largestReport, tooLarge }, (path) =>
        read(ctx, { path, name }, { dateOrder, signal }),
      );
      if (!('id' in imported.report)) return { data: triedView(imported.report, imported) };
      const view = importView(await getReport(ctx, imported.report.id), imported);
      return reply.status(imported.isNew ? 201 : 200).send({ data: view });
    },
  );
  done();
};

type ImportAsked = Type.Static<typeof ImportQuery>;
type Compile = (route: unknown) => () => boolean;

function streamOf({ body, headers }: FastifyRequest): Readable {
  if (!(body instanceof Readable)) throw invalid('body', 'must be a CSV file with the content type text/csv');
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
        summary: 'List the bill reports',
        description: 'Latest first. If reports cover the same day, the latest counts.',
        querystring: PageQuery,
        response: responses(200, ReportsSchema),
      },
    },
    async (request) => {
      const page = readPagination(request.query);
      const { reports, total } = await listReports(request.ctx, page);
      return {
        data: reports.map(reportView),
        pagination: paginationView(page, total),
      };
    },
  );

  server.get(
    '/bills/reports/:id',
    {
      config: reader,
      schema: {
        tags,
        summary: 'Get a bill report',
        params,
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
        summary: 'Delete a bill report',
        description: 'Days that only this report covers have no bill afterwards.',
        params,
        response: responses(200, dataOf(deletedOf('bill_4e8a2c6f0b1d9735e6c4')), [404]),
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

const maxWaiting = 3;

/** Runs one task per key at a time, because each uses much memory. Returns null if too many are waiting. */
function createTurns() {
  const queues = new Map<string, { members: number; last: Promise<unknown> }>();

  return async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T | null> {
    const queue = queues.get(key) ?? { members: 0, last: Promise.resolve() };
    if (queue.members > maxWaiting) return null;
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

/** Keeps the latest result for a minute, for its other pages. Only one, because it can be large. */
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
