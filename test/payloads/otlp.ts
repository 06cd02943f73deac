/** OTLP requests over HTTP, as exporters send them. */
import protobuf from 'protobufjs';

type Value = string | number | boolean | string[];
export type Attributes = { [name: string]: Value };
export type Span = {
  name?: string;
  traceId?: string;
  spanId?: string;
  parentSpanId?: string;
  /** An ISO 8601 time. */
  start?: string;
  end?: string;
  status?: number;
  attributes?: Attributes;
};
export type Resource = { attributes?: Attributes; spans: Span[] };

/** An `ExportTraceServiceRequest` in OTLP's JSON. Each span has its own scope, as in the collector. */
export function tracesOf(resources: Resource[]): { resourceSpans: object[] } {
  return {
    resourceSpans: resources.map(({ attributes = {}, spans }) => ({
      resource: { attributes: keyValues(attributes) },
      scopeSpans: spans.map((span) => ({ scope: {}, spans: [spanOf(span)] })),
      schemaUrl: 'https://opentelemetry.io/schemas/1.38.0',
    })),
  };
}

function spanOf(span: Span): object {
  const {
    name = 'span',
    traceId = '731ec8a47fd7450f753a812a4a8aa5a0',
    spanId = '',
    parentSpanId = '',
  } = span;
  const { start = '2026-11-20T10:00:00Z', end = '2026-11-20T10:01:00Z', status } = span;
  return {
    traceId,
    spanId: spanId === '' ? 'aba151af7cfbcf0f' : spanId,
    parentSpanId,
    name,
    kind: 2,
    startTimeUnixNano: nanosOf(start),
    endTimeUnixNano: nanosOf(end),
    attributes: keyValues(span.attributes ?? {}),
    status: status === undefined ? {} : { code: status, message: 'reported' },
  };
}

function nanosOf(time: string): string {
  return String(BigInt(Date.parse(time)) * 1_000_000n);
}

function keyValues(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: Value): object {
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

const many = (type: string, id: number) => ({ rule: 'repeated' as const, type, id });

/** The request and response messages of opentelemetry-proto. */
const root = protobuf.Root.fromJSON({
  nested: {
    Request: { fields: { resourceSpans: many('ResourceSpans', 1) } },
    ResourceSpans: {
      fields: {
        resource: { type: 'Resource', id: 1 },
        scopeSpans: many('ScopeSpans', 2),
        schemaUrl: { type: 'string', id: 3 },
      },
    },
    Resource: { fields: { attributes: many('KeyValue', 1) } },
    ScopeSpans: { fields: { scope: { type: 'Scope', id: 1 }, spans: many('Span', 2) } },
    Scope: { fields: { name: { type: 'string', id: 1 } } },
    Span: {
      fields: {
        traceId: { type: 'bytes', id: 1 },
        spanId: { type: 'bytes', id: 2 },
        traceState: { type: 'string', id: 3 },
        parentSpanId: { type: 'bytes', id: 4 },
        name: { type: 'string', id: 5 },
        kind: { type: 'int32', id: 6 },
        startTimeUnixNano: { type: 'fixed64', id: 7 },
        endTimeUnixNano: { type: 'fixed64', id: 8 },
        attributes: many('KeyValue', 9),
        status: { type: 'SpanStatus', id: 15 },
        flags: { type: 'fixed32', id: 16 },
      },
    },
    SpanStatus: { fields: { message: { type: 'string', id: 2 }, code: { type: 'int32', id: 3 } } },
    KeyValue: { fields: { key: { type: 'string', id: 1 }, value: { type: 'AnyValue', id: 2 } } },
    AnyValue: {
      oneofs: {
        value: { oneof: ['stringValue', 'boolValue', 'intValue', 'doubleValue', 'arrayValue', 'bytesValue'] },
      },
      fields: {
        stringValue: { type: 'string', id: 1 },
        boolValue: { type: 'bool', id: 2 },
        intValue: { type: 'int64', id: 3 },
        doubleValue: { type: 'double', id: 4 },
        arrayValue: { type: 'ArrayValue', id: 5 },
        bytesValue: { type: 'bytes', id: 7 },
      },
    },
    ArrayValue: { fields: { values: many('AnyValue', 1) } },
    Response: { fields: { partialSuccess: { type: 'PartialSuccess', id: 1 } } },
    PartialSuccess: {
      fields: { rejectedSpans: { type: 'int64', id: 1 }, errorMessage: { type: 'string', id: 2 } },
    },
    Status: { fields: { code: { type: 'int32', id: 1 }, message: { type: 'string', id: 2 } } },
  },
});

export function protobufOf(request: { resourceSpans: object[] }): Buffer {
  const type = root.lookupType('Request');
  const ids = JSON.parse(JSON.stringify(request), (key, value) =>
    ['traceId', 'spanId', 'parentSpanId'].includes(key)
      ? [...Buffer.from(value as string, 'hex')]
      : (value as unknown),
  );
  return Buffer.from(type.encode(type.fromObject(ids)).finish());
}

/** Converts 64-bit numbers to text. */
export function decode(message: 'Response' | 'Status', bytes: Buffer): object {
  const type = root.lookupType(message);
  return type.toObject(type.decode(bytes), { longs: String });
}
