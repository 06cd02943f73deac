import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Recorder } from '../../../ledger/runs/recorder.ts';
import { problemAnswer } from '../../../platform/http/problem.ts';
import type { Clock } from '../../../platform/lib/time.ts';
import { readOtlpJson } from './json.ts';
import { readOtlpProtobuf, writeResponse, writeStatus } from './protobuf.ts';
import { readTraces } from './readTraces.ts';

type Encoding = 'json' | 'protobuf';

/** `message` says why spans were rejected; empty where none was. */
type TracesReception = { rejectedSpans: number; message: string };

type TracesProgram = { clock: Clock; recorder: Recorder };

const contentTypes: Record<Encoding, string> = {
  json: 'application/json',
  protobuf: 'application/x-protobuf',
};

/** As the collector's own receiver takes, counted after unpacking. */
const largestBody = 20 * 1024 * 1024;

/** The part of an OTLP request that OpenAPI can say; the rest is OTLP's own. */
const TracesBody = Type.Object(
  { resourceSpans: Type.Optional(Type.Array(Type.Object({}))) },
  { description: 'an `ExportTraceServiceRequest`, in JSON or protobuf, plain or gzip' },
);

const TracesResponse = Type.Object(
  {
    partialSuccess: Type.Optional(
      Type.Object({
        rejectedSpans: Type.String({ description: 'a 64-bit number, as text' }),
        errorMessage: Type.String({ description: 'why, each reason once' }),
      }),
    ),
  },
  { description: 'an `ExportTraceServiceResponse`' },
);

const Status = Type.Object(
  { code: Type.Integer({ description: 'of `google.rpc.Code`' }), message: Type.String() },
  { description: 'a `google.rpc.Status`' },
);

const refusals = {
  400: 'The body cannot be read; `message` says where',
  401: 'No valid bearer token',
  403: 'Another organization, or a role or scope too low',
  413: 'More than 20 MB, unpacked',
  415: 'A content type or encoding that is not taken here',
  429: 'Too many requests; see `Retry-After`',
  500: 'A fault of the service',
  503: 'The database is away; try again, see `Retry-After`',
};

/** Answers come in the request's encoding, errors too. */
const tracesResponses = {
  200: described('Recorded, all but the rejected spans', TracesResponse),
  ...Object.fromEntries(Object.entries(refusals).map(([status, text]) => [status, described(text, Status)])),
};

function described(description: string, schema: object) {
  const content = {
    'application/json': { schema },
    'application/x-protobuf': { schema: { type: 'string' } },
  };
  return { description, content };
}

/** OTLP over HTTP: where an exporter of OpenTelemetry sends traces. https://opentelemetry.io/docs/specs/otlp/#otlphttp */
export function otlpRoutes(program: TracesProgram): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser(
      Object.values(contentTypes),
      { parseAs: 'buffer', bodyLimit: largestBody },
      (_request, body, parsed) => parsed(null, body),
    );
    server.setErrorHandler((error, request, reply) => {
      const { status, detail } = problemAnswer(error, request, reply);
      const encoding = encodingOf(request);
      const code = rpcCodes[status] ?? unknownCode;
      reply.status(status);
      return sendEncoded(
        reply,
        encoding,
        encoding === 'json' ? JSON.stringify({ code, message: detail }) : writeStatus(code, detail),
      );
    });
    server.post(
      '/v1/traces',
      {
        config: { access: { scope: 'runs:write', role: 'member' }, rateLimit: false },
        bodyLimit: largestBody,
        validatorCompiler: () => () => true,
        schema: {
          tags: ['Runs'],
          summary: 'Record runs from OpenTelemetry',
          description:
            'OTLP over HTTP, as the exporter `otlphttp` of the OpenTelemetry collector sends it. Spans with the ' +
            'attributes `cicd.*` and `vcs.*` become runs and jobs; all others are passed over. Answers after they ' +
            'are committed, in the encoding of the request. Errors are a `google.rpc.Status`; 429 and 503 can be ' +
            'tried again.',
          consumes: Object.values(contentTypes),
          body: TracesBody,
          response: tracesResponses,
        },
      },
      async (request, reply) => {
        const encoding = encodingOf(request);
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const reception = await receiveTraces(program, request.actor.orgId, body, encoding);
        return sendEncoded(reply, encoding, responseBody(reception, encoding));
      },
    );
    done();
  };
}

/** A sender needs a few reasons to know what to mend, and logs them whole. */
const mostReasons = 5;

/**
 * Records the runs and jobs that the spans of an OTLP request tell of, and answers once they are committed. Spans that
 * cannot be recorded do not keep the others out. Throws `PublicError` for a body that cannot be read.
 */
async function receiveTraces(
  program: TracesProgram,
  orgId: string,
  body: Buffer,
  encoding: Encoding,
): Promise<TracesReception> {
  const resources = encoding === 'json' ? readOtlpJson(body) : readOtlpProtobuf(body);
  const now = program.clock.now();
  const { reports, rejected, reasons } = readTraces(resources, now);
  await program.recorder.record(orgId, reports, now);
  const more = reasons.length > mostReasons ? [`${reasons.length - mostReasons} other reasons`] : [];
  return { rejectedSpans: rejected, message: [...reasons.slice(0, mostReasons), ...more].join('; ') };
}

/** The header as it came: that of an empty body, which protobuf has for an empty message, has been taken away. */
function encodingOf({ raw: { rawHeaders } }: FastifyRequest): Encoding {
  const place = rawHeaders.findIndex(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type',
  );
  return place >= 0 && rawHeaders[place + 1]?.toLowerCase().startsWith(contentTypes.protobuf)
    ? 'protobuf'
    : 'json';
}

function responseBody({ rejectedSpans, message }: TracesReception, encoding: Encoding): string | Buffer {
  if (encoding === 'protobuf') return writeResponse(rejectedSpans, message);
  const partialSuccess = { rejectedSpans: String(rejectedSpans), errorMessage: message };
  return JSON.stringify(rejectedSpans > 0 ? { partialSuccess } : {});
}

/** As bytes, and with a content type without a charset: exporters compare it word for word. */
function sendEncoded(reply: FastifyReply, encoding: Encoding, body: string | Buffer): FastifyReply {
  return reply.header('content-type', contentTypes[encoding]).send(Buffer.from(body));
}

const unknownCode = 2;

/** https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto */
const rpcCodes: Record<number, number> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  413: 8,
  415: 3,
  429: 8,
  500: 13,
  503: 14,
};
