import protobuf from 'protobufjs/minimal.js';
import { PublicError } from '../../../platform/lib/errors.ts';
import { type OtlpResource, type OtlpSpan, readAttributes, spanCounter, unreadable } from './spans.ts';

type Reader = protobuf.Reader;

/** https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto */
export function readOtlpProtobuf(body: Buffer): OtlpResource[] {
  const resources: OtlpResource[] = [];
  const count = spanCounter();
  const reader = protobuf.Reader.create(body);
  try {
    eachField(reader, body.length, (tag) => {
      if (tag !== lengthOf(1)) return false;
      const resource = readResourceSpans(reader, count);
      if (resource.spans.length > 0) resources.push(resource);
      return true;
    });
  } catch (error) {
    if (error instanceof PublicError) throw error;
    throw unreadable('the body is not a valid protobuf message');
  }
  return resources;
}

function readResourceSpans(reader: Reader, count: () => void): OtlpResource {
  const attributes = new Map<string, string | string[]>();
  const spans: OtlpSpan[] = [];
  eachField(reader, endOfMessage(reader), (tag) => {
    if (tag === lengthOf(1)) readAttributesOf(reader, lengthOf(1), attributes);
    else if (tag === lengthOf(2)) readScopeSpans(reader, spans, count);
    else return false;
    return true;
  });
  return { attributes, spans };
}

function readAttributesOf(
  reader: Reader,
  attributeTag: number,
  attributes: Map<string, string | string[]>,
): void {
  eachField(reader, endOfMessage(reader), (tag) => {
    if (tag !== attributeTag) return false;
    readAttribute(reader, attributes);
    return true;
  });
}

function readScopeSpans(reader: Reader, spans: OtlpSpan[], count: () => void): void {
  eachField(reader, endOfMessage(reader), (tag) => {
    if (tag !== lengthOf(2)) return false;
    count();
    spans.push(readSpan(reader));
    return true;
  });
}

function readSpan(reader: Reader): OtlpSpan {
  const attributes = new Map<string, string | string[]>();
  const span: OtlpSpan = {
    traceId: '',
    spanId: '',
    parentSpanId: '',
    name: '',
    startMilliseconds: 0,
    endMilliseconds: 0,
    statusCode: 0,
    attributes,
  };
  eachField(reader, endOfMessage(reader), (tag) => {
    if (tag === lengthOf(1)) span.traceId = hexOf(reader.bytes());
    else if (tag === lengthOf(2)) span.spanId = hexOf(reader.bytes());
    else if (tag === lengthOf(4)) span.parentSpanId = hexOf(reader.bytes());
    else if (tag === lengthOf(5)) span.name = reader.string();
    else if (tag === fixed64(7)) span.startMilliseconds = readMilliseconds(reader);
    else if (tag === fixed64(8)) span.endMilliseconds = readMilliseconds(reader);
    else if (tag === lengthOf(9)) readAttribute(reader, attributes);
    else if (tag === lengthOf(15)) span.statusCode = readStatusCode(reader);
    else return false;
    return true;
  });
  return span;
}

function readStatusCode(reader: Reader): number {
  let code = 0;
  eachField(reader, endOfMessage(reader), (tag) => {
    if (tag !== varint(3)) return false;
    code = reader.int32();
    return true;
  });
  return code;
}

function readAttribute(reader: Reader, attributes: Map<string, string | string[]>): void {
  const end = endOfMessage(reader);
  let key = '';
  let valueAt = -1;
  eachField(reader, end, (tag) => {
    if (tag === lengthOf(1)) key = reader.string();
    if (tag === lengthOf(2)) valueAt = reader.pos;
    return tag === lengthOf(1);
  });
  if (valueAt === -1 || !readAttributes.has(key)) return;
  reader.pos = valueAt;
  const value = readValue(reader, true);
  if (value !== null) attributes.set(key, value);
  reader.pos = end;
}

/** Null for bytes and nested lists, which no attribute that we read contains. */
function readValue(reader: Reader, mayBeList: boolean): string | string[] | null {
  let value: string | string[] | null = null;
  eachField(reader, endOfMessage(reader), (tag) => {
    if (tag === lengthOf(1)) value = reader.string();
    else if (tag === varint(2)) value = String(reader.bool());
    else if (tag === varint(3)) value = readInteger(reader);
    else if (tag === fixed64(4)) value = String(reader.double());
    else if (tag === lengthOf(5) && mayBeList) value = readList(reader);
    else return false;
    return true;
  });
  return value;
}

function readList(reader: Reader): string[] {
  const items: string[] = [];
  eachField(reader, endOfMessage(reader), (tag) => {
    if (tag !== lengthOf(1)) return false;
    const item = readValue(reader, false);
    if (typeof item === 'string') items.push(item);
    return true;
  });
  return items;
}

function eachField(reader: Reader, end: number, read: (tag: number) => boolean): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (!read(tag)) reader.skipType(tag & 7, 0, tag >>> 3);
  }
  if (reader.pos !== end) throw new RangeError('a field is longer than its message');
}

function endOfMessage(reader: Reader): number {
  const length = reader.uint32();
  return reader.pos + length;
}

const varint = (field: number) => field << 3;
const fixed64 = (field: number) => (field << 3) | 1;
const lengthOf = (field: number) => (field << 3) | 2;

/** Must be exact for ids. The library returns 64 bits in two halves. */
function readInteger(reader: Reader): string {
  const { low, high } = reader.int64() as unknown as { low: number; high: number };
  return String((BigInt(high) << 32n) | BigInt(low >>> 0));
}

function readMilliseconds(reader: Reader): number {
  const low = BigInt(reader.fixed32());
  const high = BigInt(reader.fixed32());
  return Number(((high << 32n) | low) / 1_000_000n);
}

function hexOf(bytes: Uint8Array): string {
  if (bytes.length !== 0 && bytes.length !== 8 && bytes.length !== 16)
    throw new RangeError('an id has the wrong length');
  return Buffer.from(bytes).toString('hex');
}

export function writeResponse(rejectedSpans: number, errorMessage: string): Buffer {
  const writer = protobuf.Writer.create();
  if (rejectedSpans > 0) {
    writer.uint32(lengthOf(1)).fork();
    writer.uint32(varint(1)).int64(rejectedSpans).uint32(lengthOf(2)).string(errorMessage).ldelim();
  }
  return Buffer.from(writer.finish());
}

export function writeStatus(code: number, message: string): Buffer {
  const writer = protobuf.Writer.create();
  return Buffer.from(writer.uint32(varint(1)).int32(code).uint32(lengthOf(2)).string(message).finish());
}
