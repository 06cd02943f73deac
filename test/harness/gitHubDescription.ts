import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after } from 'node:test';
import { Compile } from 'typebox/schema';

type Schema = {
  $ref?: string;
  type?: string;
  format?: string;
  example?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: unknown;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
};
type Operation = { request?: Schema | null; answers: Record<string, Schema | null> };

/** `sent` is the body of the request, parsed. */
export type DescribedAnswer = {
  method: string;
  path: string;
  status: number;
  body: unknown;
  sent?: unknown;
};

const file = new URL('../fixtures/github-openapi/description.json', import.meta.url);
const { operations, schemas } = JSON.parse(readFileSync(file, 'utf8')) as {
  operations: Record<string, Operation>;
  schemas: Record<string, Schema>;
};
const patterns = Object.keys(operations).map((operation) => {
  const [method, path] = operation.split(' ');
  const pattern = path!.replaceAll(/\{(\w+)\}/g, (_, name) => (name === 'path' ? '.+' : '[^/]+'));
  return { operation, method, pattern: new RegExp(`^${pattern}$`) };
});
const basicError: Schema = { $ref: '#/schemas/basic-error' };
const compiled = new WeakMap<Schema, ReturnType<typeof Compile>>();
/** Found shapes by schema and type of the value. */
const shapes = new WeakMap<Schema, Map<string, Shape>>();

/** Checks answers of a stand-in for GitHub, and fails the test file if GitHub's description has none like them. */
export function followDescription(): (answer: DescribedAnswer) => void {
  const faults: string[] = [];
  after(() => assert.deepEqual([...new Set(faults)], []));
  return (answer) => faults.push(...faultsOf(answer));
}

export function faultsOf({ method, path, status, body, sent }: DescribedAnswer): string[] {
  const operation = operationOf(method, path);
  if (!operation) return [`${method} ${path}: GitHub has no such operation`];
  const { answers, request } = operations[operation]!;
  const schema = schemaOf(answers, status);
  if (schema === undefined) return [`${operation}: GitHub does not answer ${status}`];
  return [
    ...(schema ? faultsIn(schema, body) : body === null ? [] : [' has no body']).map(
      (fault) => `${operation} ${status}:${fault}`,
    ),
    ...(request && sent !== undefined && status < 400 ? faultsIn(request, sent) : []).map(
      (fault) => `request of ${operation}:${fault}`,
    ),
  ];
}

/** The answer with all fields that GitHub always sends: the description's example, or null. */
export function completed(method: string, path: string, status: number, body: unknown): unknown {
  const operation = operationOf(method, path);
  const schema = operation && schemaOf(operations[operation]!.answers, status);
  return schema ? complete(schema, body) : body;
}

function operationOf(method: string, path: string): string | undefined {
  return patterns.find((one) => one.method === method && one.pattern.test(path))?.operation;
}

/** Undefined if the operation does not have the status. Any operation may be refused, rate-limited or unavailable. */
function schemaOf(answers: Operation['answers'], status: number): Schema | null | undefined {
  const described = answers[status];
  if (described !== undefined) return described;
  if (status === 304) return null;
  return status >= 400 ? basicError : undefined;
}

function faultsIn(schema: Schema, value: unknown): string[] {
  const check = compiled.get(schema) ?? Compile({ ...schema, schemas } as never);
  compiled.set(schema, check);
  // `Errors` takes many times as long as `Check`.
  const errors = check.Check(value) ? [] : check.Errors(value)[1];
  return [
    ...errors.map(({ instancePath, message }) => `${instancePath} ${message}`),
    ...unknownIn(schema, value, ''),
  ];
}

type Shape = Omit<Schema, '$ref' | 'allOf' | 'anyOf' | 'oneOf'>;

/** The alternative for a value of this type, with all parts of an `allOf`. */
function shapeOf(schema: Schema, type: string): Shape {
  const found = shapes.get(schema) ?? new Map<string, Shape>();
  shapes.set(schema, found);
  const shape = found.get(type) ?? findShape(schema, type);
  found.set(type, shape);
  return shape;
}

function findShape({ $ref, allOf, anyOf, oneOf, ...own }: Schema, type: string): Shape {
  if ($ref !== undefined) return shapeOf(schemas[$ref.split('/').at(-1)!]!, type);
  if (allOf) {
    const parts = allOf.map((part) => shapeOf(part, type));
    const properties = Object.assign({}, ...parts.map((shape) => shape.properties ?? {}));
    return { type: 'object', properties, required: parts.flatMap(({ required = [] }) => required) };
  }
  const alternatives = (anyOf ?? oneOf ?? []).map((one) => shapeOf(one, type));
  return alternatives.find((shape) => shape.type === type) ?? alternatives[0] ?? own;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function complete(schema: Schema, value: unknown): unknown {
  const type = value === undefined ? 'null' : typeOf(value);
  const shape = shapeOf(schema, type);
  if (Array.isArray(value)) return value.map((one) => (shape.items ? complete(shape.items, one) : one));
  if (value !== undefined && type !== 'object') return value;
  if (type === 'object' || shape.type === 'object') return completeObject(shape, (value ?? {}) as object);
  return shape.type === 'null' ? null : exampleOf(shape);
}

function completeObject({ properties = {}, required = [] }: Shape, value: object): object {
  const missing = required.filter((name) => !(name in value)).map((name) => [name, undefined] as const);
  const entries = [...Object.entries(value), ...missing].map(([name, one]) => {
    const property = properties[name];
    return [name, property ? complete(property, one) : one];
  });
  return Object.fromEntries(entries) as object;
}

const textsByFormat: Record<string, string> = {
  'date-time': '2026-03-01T00:00:00Z',
  email: 'octocat@github.com',
  uri: 'https://api.github.com/',
};

function exampleOf({ type, format, example, enum: values }: Shape): unknown {
  if (type === 'array') return [];
  if (example !== undefined)
    return type === 'string' && typeof example !== 'string' ? JSON.stringify(example) : example;
  if (values) return values[0];
  if (type === 'string') return textsByFormat[format ?? ''] ?? '';
  return type === 'boolean' ? false : 1;
}

/** Fields that GitHub's description does not have. */
function unknownIn(schema: Schema, value: unknown, path: string): string[] {
  const { properties, additionalProperties, items } = shapeOf(schema, typeOf(value));
  if (Array.isArray(value)) {
    return items ? value.flatMap((one, index) => unknownIn(items, one, `${path}/${index}`)) : [];
  }
  if (typeof value !== 'object' || value === null || !properties) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    const property = properties[name];
    if (property) return unknownIn(property, one, `${path}/${name}`);
    return additionalProperties ? [] : [`${path}/${name} is a field that GitHub does not have`];
  });
}
