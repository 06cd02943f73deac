import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { whyRefused, type Recorder } from '../../../ledger/runs/recorder.ts';
import { countRejections } from '../../../platform/http/observe.ts';
import { problemAnswer } from '../../../platform/http/problem.ts';
import { sampleText } from '../../../platform/http/schemas.ts';
import type { Clock } from '../../../platform/lib/time.ts';
import type { Telemetry } from '../../../platform/telemetry/metrics.ts';
import { readOtlpJson } from './json.ts';
import { readOtlpProtobuf, writeResponse, writeStatus } from './protobuf.ts';
import { readTraces } from './readTraces.ts';

type Encoding = 'json' | 'protobuf';

type TracesReception = { rejectedSpans: number; message: string };

type TracesProgram = { clock: Clock; recorder: Recorder; telemetry: Telemetry };

const origin = { provider: 'otlp', source: 'api' };

const contentTypes: Record<Encoding, string> = {
  json: 'application/json',
  protobuf: 'application/x-protobuf',
};

/** The limit of the collector's own receiver, after decompression. */
const largestBody = 20 * 1024 * 1024;

/** OpenAPI describes only the outermost part. */
const TracesBody = Type.Object(
  { resourceSpans: Type.Optional(Type.Array(Type.Object({}))) },
  {
    description: 'an `ExportTraceServiceRequest`, in JSON or protobuf, plain or gzip',
    examples: [{ resourceSpans: [exampleSpans()] }],
  },
);

/** A run and its job in the semantic conventions. */
function exampleSpans(): object {
  const attributes = (values: Record<string, string>) =>
    Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const pipeline = { 'cicd.pipeline.name': 'Build', 'cicd.pipeline.run.id': '482' };
  const run = {
    traceId: '5f0f7001ef072159c07cd675f7d9fb8b',
    spanId: 'aba151af7cfbcf0f',
    name: 'RUN Build',
    startTimeUnixNano: '1773741600000000000',
    endTimeUnixNano: '1773741960000000000',
    attributes: attributes({ ...pipeline, 'cicd.pipeline.result': 'success' }),
  };
  const job = {
    ...run,
    spanId: 'e68a36b3514c8634',
    parentSpanId: run.spanId,
    name: 'test',
    attributes: attributes({
      ...pipeline,
      'cicd.pipeline.task.name': 'test',
      'cicd.pipeline.task.run.id': '482-test',
      'cicd.pipeline.task.run.result': 'success',
    }),
  };
  return {
    resource: {
      attributes: attributes({
        'service.name': 'ci',
        'vcs.repository.url.full': 'https://git.acme.example/acme/api.git',
        'vcs.ref.head.name': 'main',
      }),
    },
    scopeSpans: [{ spans: [run, job] }],
  };
}

const TracesResponse = Type.Object(
  {
    partialSuccess: Type.Optional(
      Type.Object({
        rejectedSpans: sampleText('1', 'a 64-bit number, as text'),
        errorMessage: sampleText('cicd.pipeline.run.id is missing', 'why, each reason once'),
      }),
    ),
  },
  { description: 'an `ExportTraceServiceResponse`' },
);

const Status = Type.Object(
  {
    code: Type.Integer({ description: 'of `google.rpc.Code`' }),
    message: sampleText('resourceSpans must be an array'),
  },
  { description: 'a `google.rpc.Status`' },
);

const refusals = {
  400: 'The body cannot be read; `message` says where',
  401: 'No valid bearer token',
  403: 'The token belongs to another organization, or its role or scopes are insufficient',
  413: 'More than 20 MB, unpacked',
  415: 'Unsupported content type or encoding',
  429: 'Too many requests; see `Retry-After`',
  500: 'Internal error',
  503: 'The database cannot be reached; retry later, see `Retry-After`',
};

const tracesResponses = {
  200: described('Recorded, except for rejected spans', TracesResponse),
  ...Object.fromEntries(Object.entries(refusals).map(([status, text]) => [status, described(text, Status)])),
};

function described(description: string, schema: object) {
  const content = {
    'application/json': { schema },
    'application/x-protobuf': { schema: { type: 'string', format: 'binary' } },
  };
  return { description, content };
}

/** https://opentelemetry.io/docs/specs/otlp/#otlphttp */
export function otlpRoutes(program: TracesProgram): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    countRejections(server, program.telemetry, () => origin);
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
            "OTLP over HTTP, as the OpenTelemetry collector's exporter `otlphttp` sends it. Spans with the " +
            'attributes `cicd.*` and `vcs.*` become runs and jobs; others are ignored. Responds after they ' +
            'are committed, in the encoding of the request. Errors are a `google.rpc.Status`; 429 and 503 ' +
            'can be retried.',
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

/** Senders log everything, and a few reasons are enough to find the fault. */
const maxReasons = 5;

async function receiveTraces(
  program: TracesProgram,
  orgId: string,
  body: Buffer,
  encoding: Encoding,
): Promise<TracesReception> {
  const resources = encoding === 'json' ? readOtlpJson(body) : readOtlpProtobuf(body);
  const now = program.clock.now();
  const { reports, rejected, reasons: found } = readTraces(resources, now);
  const refusal = await program.recorder.record(orgId, reports, now);
  const { events, rejectedEvents } = program.telemetry.metrics;
  events.inc(origin);
  if (refusal) rejectedEvents.inc({ ...origin, reason: 'run_removed' }, refusal.places.length);
  if (rejected > 0) rejectedEvents.inc({ ...origin, reason: 'invalid_span' }, rejected);
  const reasons = refusal ? [`a run ${whyRefused(refusal)}`, ...found] : found;
  const more = reasons.length > maxReasons ? [`${reasons.length - maxReasons} other reasons`] : [];
  const refused = refusal?.places.length ?? 0;
  return {
    rejectedSpans: rejected + refused,
    message: [...reasons.slice(0, maxReasons), ...more].join('; '),
  };
}

/** Fastify drops the header of an empty body, which is an empty protobuf message. */
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

/** Exporters compare the content type literally, so it must have no charset. */
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
