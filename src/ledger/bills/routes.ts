import { Readable } from 'node:stream';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { errorCodes, type FastifyRequest } from 'fastify';
import type { Type } from 'typebox';
import { leavingOf } from '../../platform/http/leaving.ts';
import { responses } from '../../platform/http/schemas.ts';
import { invalid, TooManyRequests } from '../../platform/lib/errors.ts';
import { importReport, removeLeftSpools, tryImport, withSpooled } from './importReport.ts';
import { getReport, importView, triedView } from './reports.ts';
import { ImportQuery, OneImport, OneKnownImport, ReportFile } from './schema.ts';

/** More than two million detailed lines. Only the disk holds a whole file. */
const largestReport = 1024 ** 3;

/** Each has its own connection and file on this server's disk. */
const maxImportsAtOnce = 4;
const secondsUntilNext = 10;

export const billImportRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.removeAllContentTypeParsers();
  server.addHook('onReady', removeLeftSpools);
  // The handler reads the file as a stream.
  server.addContentTypeParser('text/csv', (_request, payload, parsed) => parsed(null, payload));
  let running = 0;
  // A refused file is not read to its end, and the rest would block the next request on the connection.
  server.addHook('onResponse', ({ raw }, _reply, answered) => {
    raw.unpipe().resume();
    answered();
  });
  server.post(
    '/bills/reports',
    {
      config: { access: { scope: 'admin', role: 'admin' } },
      validatorCompiler: (route) =>
        route.httpPart === 'body' ? () => true : (server.validatorCompiler as never as Compile)(route),
      schema: {
        tags: ['Bills'],
        summary: 'Import a bill report',
        description:
          "GitHub's metered usage report (summarized, detailed or legacy) as CSV, up to 1 GiB unpacked. Unreadable " +
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
      const stream = streamOf(request);
      if (running >= maxImportsAtOnce) throw tooMany();
      running++;
      const imported = await withSpooled(stream, { maxBytes: largestReport, tooLarge }, (path) =>
        read(ctx, { path, name }, { dateOrder, signal }),
      ).finally(() => running--);
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
  if (!(body instanceof Readable)) throw invalid('', 'must be a CSV file with the content type text/csv');
  if (Number(headers['content-length']) > largestReport) throw tooLarge();
  return body;
}

function tooMany(): Error {
  const text = `This server imports ${maxImportsAtOnce} reports at once. Send the report again in ${secondsUntilNext} seconds.`;
  return new TooManyRequests(text, secondsUntilNext);
}

function tooLarge(): Error {
  return new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
}
