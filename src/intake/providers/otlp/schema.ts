import { Type } from 'typebox';

/** The part of an OTLP request that OpenAPI can say; the rest is OTLP's own. */
export const TracesBody = Type.Object(
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
export const tracesResponses = {
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
