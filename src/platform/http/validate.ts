import fastJson from 'fast-json-stringify';
import { Type, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import { Value } from 'typebox/value';
import { PublicError, type FieldError } from '../lib/errors.ts';
import {
  addressQuery,
  blankName,
  controlInName,
  controlInText,
  isStorable,
  nearestOf,
  reportedText,
  repositoryName,
  revisionName,
  visibleCharacter,
  workflowPath,
} from '../lib/text.ts';

type Part = 'body' | 'query' | 'params' | 'headers';

export type Check = (value: unknown) => { value: unknown } | { errors: FieldError[] };

// Enough for mistakes of a person; a program may make thousands.
Settings.Set({ maxErrors: 100 });

/** Only texts of the query and path become numbers. Drops read-only fields. */
export function compileCheck(schema: TSchema, part: Part): Check {
  const validator = Compile(withStorableTexts(schema));
  const fromText = part === 'query' || part === 'params';
  const ignored = readOnlyNames(schema);
  return (given) => {
    const value = fromText ? Value.Default(schema, readTexts(schema, given)) : given;
    if (validator.Check(value))
      return { value: ignored.length === 0 ? value : without(ignored, value as object) };
    return { errors: fieldErrors(validator.Errors(value), schema, part) };
  };
}

const unstorable = 'must contain neither a null character nor half of a surrogate pair';

function withStorableTexts(schema: unknown): TSchema {
  if (Array.isArray(schema)) return schema.map(withStorableTexts) as TSchema;
  if (schema === null || typeof schema !== 'object') return schema as TSchema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withStorableTexts(value)]),
  );
  if (![copy.type].flat().includes('string' as never)) return copy as TSchema;
  return Type.Refine(
    copy as TSchema,
    (value) => typeof value !== 'string' || isStorable(value),
    () => unstorable,
  );
}

function readOnlyNames({
  properties = {},
}: {
  properties?: Record<string, { readOnly?: boolean }>;
}): string[] {
  return Object.keys(properties).filter((name) => properties[name]!.readOnly);
}

function without(names: string[], value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

/** For Fastify: `{ error }` goes to the error handler. Compiles at first use. */
export function compileForFastify(route: { schema: unknown; httpPart?: string }) {
  const part = route.httpPart === 'querystring' ? 'query' : (route.httpPart as Part);
  let check: Check | undefined;
  return (value: unknown) => {
    check ??= compileCheck(route.schema as TSchema, part);
    const checked = check(value);
    if ('value' in checked) return checked;
    return { error: part === 'params' ? noSuchPath(checked.errors, value) : invalidRequest(checked.errors) };
  };
}

/** Any other text can be an id, so only a part that has a form, such as a day, says what it must be. */
function noSuchPath([error]: FieldError[], params: unknown): PublicError {
  const name = error!.path.slice('params.'.length);
  const detail =
    error!.message === unstorable
      ? 'The id contains characters that are not allowed in ids.'
      : `The ${name} in the path ${error!.message}, not ${(params as Record<string, string>)[name]}.`;
  return new PublicError('not_found', 'not_found', detail);
}

export function invalidRequest(errors: FieldError[]): PublicError {
  const [first] = errors;
  const rest = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const detail = first ? `${first.path} ${first.message}${rest}` : 'The request is not valid.';
  return new PublicError('invalid', 'invalid_request', detail, errors);
}

type ObjectSchema = { properties?: Record<string, { type?: string; enum?: unknown[] }> };

function readTexts(schema: ObjectSchema, given: unknown): unknown {
  return Object.fromEntries(
    Object.entries((given ?? {}) as Record<string, unknown>).map(([name, text]) => [
      name,
      typeof text === 'string' ? readText(schema.properties?.[name]?.type, text) : text,
    ]),
  );
}

/** Reads an integer beyond the exact range as the largest exact one, so that limits apply to it. */
function readText(type: string | undefined, text: string): unknown {
  if (type === 'array') return [text];
  if (type === 'integer' && /^-?\d+$/.test(text)) {
    const largest = Number.MAX_SAFE_INTEGER;
    return Math.max(-largest, Math.min(Number(text), largest));
  }
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

type SchemaError = { keyword: string; instancePath: string; params: object; message: string };

/** Keeps the last fault of each field: `enum` and `pattern` say more than the `type` before them. */
function fieldErrors(errors: readonly SchemaError[], schema: TSchema, part: Part): FieldError[] {
  const found = errors.flatMap((error) => readableErrors(error, schema, part));
  return [...new Map(found.map((error) => [error.path, error])).values()];
}

function readableErrors(error: SchemaError, schema: TSchema, part: Part): FieldError[] {
  const path = part + readablePath(error.instancePath);
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
      return (params.requiredProperties as string[]).map((name) => ({
        path: `${path}.${name}`,
        message: 'is required',
      }));
    case 'additionalProperties':
      return [];
    case 'boolean':
      return [unknownField(error.instancePath, schema, part)];
    default:
      return [{ path, message: readableMessage(error.keyword, params, error.message) }];
  }
}

function readablePath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) =>
      /^\d+$/.test(part) ? `[${part}]` : `.${part.replaceAll('~1', '/').replaceAll('~0', '~')}`,
    )
    .join('');
}

function readableMessage(keyword: string, params: Record<string, unknown>, message: string): string {
  switch (keyword) {
    case 'enum':
      return `must be one of: ${(params.allowedValues as unknown[]).map(String).join(', ')}`;
    case 'type':
      return `must be ${[params.type].flat().join(' or ')}`;
    case 'minLength':
      return params.limit === 1
        ? 'must not be empty'
        : `must have at least ${inWords(params.limit)} characters`;
    case 'maxLength':
      return `must have at most ${inWords(params.limit)} characters`;
    case 'maxItems':
      return `must have at most ${inWords(params.limit)} items`;
    case 'minItems':
      return `must have at least ${inWords(params.limit)} item${params.limit === 1 ? '' : 's'}`;
    case 'minimum':
      return `must be at least ${inWords(params.limit)}`;
    case 'maximum':
      return `must be at most ${inWords(params.limit)}`;
    case 'exclusiveMinimum':
      return `must be more than ${inWords(params.limit)}`;
    case 'exclusiveMaximum':
      return `must be less than ${inWords(params.limit)}`;
    case 'format':
      return formatMessages[String(params.format)] ?? message;
    case 'pattern':
      return patternMessages[String(params.pattern)] ?? message;
    case 'not': // Only `noControls` uses it.
      return controlInName;
    default:
      return message;
  }
}

function inWords(limit: unknown): string {
  return Number(limit).toLocaleString('en-US', { maximumFractionDigits: 9 });
}

const formatMessages: Record<string, string> = {
  uuid: 'must be a UUID',
  'idn-email': 'must be an email address',
  date: 'must be a calendar day such as 2026-01-31',
  'date-time': 'must be an ISO 8601 date-time such as 2026-01-31T09:30:00Z',
};

/** Years from 1900 to 2999, to catch mistyped ones. */
export const meantYear = '^(19|2\\d)\\d\\d-';

export const calendarMonth = '^(19|2\\d)\\d\\d-(0[1-9]|1[0-2])$';

export const headerWord = '^[\\x21-\\x7e]+$';

const patternMessages: Record<string, string> = {
  [revisionName]: 'must have 1 to 100 letters, digits or signs of . : @ + - _',
  [repositoryName.source]: 'must be owner/name, such as acme/api',
  [workflowPath]: 'must be a file of a repository, such as .github/workflows/ci.yml',
  [addressQuery]: 'must have no spaces: write a space as %20',
  [visibleCharacter]: blankName,
  [reportedText]: controlInText,
  [meantYear]: 'must be in the years 1900 to 2999',
  [calendarMonth]: 'must be a month such as 2026-01',
  [headerWord]: 'must be one word of ASCII letters, digits and signs',
};

/** Returns the pattern of a schema, and sets the text of its error. */
export function patternInWords({ source }: RegExp, text: string): string {
  patternMessages[source] = `must be ${text}`;
  return source;
}

function knownNames(schema: TSchema, pointer: string): string[] {
  let node = schema as { properties?: Record<string, object>; items?: object };
  for (const part of pointer.split('/').slice(1)) {
    node = (node.properties?.[part] ?? node.items ?? {}) as typeof node;
  }
  return Object.keys(node.properties ?? {});
}

const maxNameLength = 100;

function unknownField(pointer: string, schema: TSchema, part: Part): FieldError {
  const end = pointer.lastIndexOf('/');
  const [parent, name] = [pointer.slice(0, end), pointer.slice(end + 1, end + 1 + maxNameLength)];
  const known = knownNames(schema, parent);
  const nearest = nearestOf(name, known);
  const hint = nearest ? `did you mean ${nearest}?` : `known fields: ${known.join(', ')}`;
  return { path: part + readablePath(`${parent}/${name}`), message: `is unknown; ${hint}` };
}

/** By the response schema, but with decimals as they are: as `number` they would become floats. */
export function compileSerializer(route: { schema: unknown }): (value: unknown) => string {
  let serialize: ((value: unknown) => string) | undefined;
  return (value) => {
    serialize ??= fastJson(openDecimals(route.schema) as fastJson.Schema);
    return serialize(value);
  };
}

function openDecimals(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(openDecimals);
  if (schema === null || typeof schema !== 'object') return schema;
  if ('format' in schema && schema.format === 'decimal') return {};
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, openDecimals(value)]));
}
