import { type OtlpResource, type OtlpSpan, readAttributes, spanCounter, unreadable } from './spans.ts';

/** https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
export function readOtlpJson(body: Buffer): OtlpResource[] {
  const request = objectAt(parse(body), 'the body');
  const count = spanCounter();
  return listAt(request['resourceSpans'], 'resourceSpans').map((given, index) => {
    const path = `resourceSpans[${index}]`;
    const { resource, scopeSpans } = objectAt(given, path);
    return {
      attributes: attributesAt(
        objectAt(resource, `${path}.resource`)['attributes'],
        `${path}.resource.attributes`,
      ),
      spans: listAt(scopeSpans, `${path}.scopeSpans`).flatMap((scope, place) => {
        const spansPath = `${path}.scopeSpans[${place}].spans`;
        return listAt(objectAt(scope, `${path}.scopeSpans[${place}]`)['spans'], spansPath).map(
          (span, number) => {
            count();
            return readSpan(span, `${spansPath}[${number}]`);
          },
        );
      }),
    };
  });
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw unreadable('the body is not valid JSON');
  }
}

function readSpan(given: unknown, path: string): OtlpSpan {
  const span = objectAt(given, path);
  const code = objectAt(span['status'], `${path}.status`)['code'] ?? 0;
  if (typeof code !== 'number') throw unreadable(`${path}.status.code must be a number`);
  return {
    traceId: idAt(span['traceId'], `${path}.traceId`),
    spanId: idAt(span['spanId'], `${path}.spanId`),
    parentSpanId: idAt(span['parentSpanId'], `${path}.parentSpanId`),
    name: textAt(span['name'], `${path}.name`),
    startMilliseconds: millisecondsAt(span['startTimeUnixNano'], `${path}.startTimeUnixNano`),
    endMilliseconds: millisecondsAt(span['endTimeUnixNano'], `${path}.endTimeUnixNano`),
    statusCode: code,
    attributes: attributesAt(span['attributes'], `${path}.attributes`),
  };
}

function attributesAt(given: unknown, path: string): Map<string, string | string[]> {
  const attributes = new Map<string, string | string[]>();
  for (const [index, item] of listAt(given, path).entries()) {
    const { key, value } = objectAt(item, `${path}[${index}]`);
    const name = textAt(key, `${path}[${index}].key`);
    if (!readAttributes.has(name)) continue;
    const known = valueOf(objectAt(value, `${path}[${index}].value`), `${path}[${index}].value`);
    if (known !== null) attributes.set(name, known);
  }
  return attributes;
}

function valueOf(value: Fields, path: string): string | string[] | null {
  const { arrayValue } = value;
  if (arrayValue === undefined || arrayValue === null) return scalarOf(value);
  const items = listAt(objectAt(arrayValue, `${path}.arrayValue`)['values'], `${path}.arrayValue.values`);
  return items
    .map((item, index) => scalarOf(objectAt(item, `${path}.arrayValue.values[${index}]`)))
    .filter((text) => text !== null);
}

function scalarOf({ stringValue, intValue, doubleValue, boolValue }: Fields): string | null {
  const value = stringValue ?? intValue ?? doubleValue ?? boolValue;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : null;
}

type Fields = { [field: string]: unknown };

/** Protobuf's JSON treats null as absent. */
function objectAt(value: unknown, path: string): Fields {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw unreadable(`${path} must be an object`);
  return value as Fields;
}

function listAt(value: unknown, path: string): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw unreadable(`${path} must be an array`);
  return value;
}

function textAt(value: unknown, path: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw unreadable(`${path} must be text`);
  return value;
}

function idAt(value: unknown, path: string): string {
  const text = textAt(value, path);
  if (!/^([0-9a-f]{16}|[0-9a-f]{32})?$/i.test(text)) throw unreadable(`${path} must be hexadecimal`);
  return text.toLowerCase();
}

function millisecondsAt(value: unknown, path: string): number {
  if (value === undefined || value === null) return 0;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^\d{1,20}$/.test(text)) {
    throw unreadable(`${path} must be a whole number of nanoseconds`);
  }
  return Number(BigInt(text) / 1_000_000n);
}
