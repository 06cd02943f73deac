import { providers } from '../src/intake/providers/providers.ts';
import { createProviders } from '../src/ledger/pricing/provider.ts';
/** What the command line needs to know of each verb, as JSON with a line for each. */
import type { Column, Field, Operation } from '../src/operations.ts';
import { movedPages } from '../src/platform/http/movedPages.ts';
import { verbsOf } from '../src/verbs.ts';

type Schema = {
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: (string | null)[];
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  readOnly?: true;
  default?: string | number | boolean;
  examples?: unknown[];
};
type Declared = ReturnType<typeof verbsOf>[number];

/** Fields of queries that the command line sets by itself. */
const ownFields = ['org_id', 'page', 'per_page', 'cursor'];

export function operationsText(verbs = verbsOf(createProviders(providers))): string {
  const lines = verbs.map((verb) => JSON.stringify(operationOf(verb)));
  return `[\n${lines.join(',\n')}\n]\n`;
}

/** What creates something has a page to do it, which the palette of the pages lists. */
export function actionsText(verbs = verbsOf(createProviders(providers))): string {
  const actions = verbs.flatMap(({ at, page, title: label, access }) =>
    page && at.startsWith('POST ') && typeof access === 'object'
      ? [`  ${JSON.stringify({ label, go: page, needs: access })},`]
      : [],
  );
  return `// Written by \`npm run api-types\` from the verbs that create and have a page.
export const verbActions = [
${actions.join('\n')}
] as const;
`;
}

/** For the pages, which may not read the program. They match addresses without their query. */
export function movedText(): string {
  const moved = Object.entries(movedPages).filter(([from]) => !from.includes('?'));
  return `// Written by \`npm run api-types\` from src/platform/http/movedPages.ts.
export const movedPages = [
${moved.map(([from, to]) => `  { from: '${from}', to: '${to}' },`).join('\n')}
];
`;
}

function operationOf(verb: Declared): Operation {
  const [method, path] = verb.at.split(' ') as [Operation['method'], string];
  const parts = { params: verb.params, query: verb.query, body: verb.body } as Record<string, Schema>;
  const list = listOf(verb);
  return {
    name: verb.name,
    method,
    path,
    title: verb.title,
    ...(verb.description && { description: verb.description }),
    ...(verb.page && { page: verb.page }),
    fields: Object.entries(parts).flatMap(([part, schema]) => fieldsOf(part as Field['in'], schema)),
    ...(verb.csv && { hasCsv: true }),
    ...(verb.text && { isText: true }),
    ...(verb.isWhole && { isWhole: true }),
    ...((verb.query as Schema | undefined)?.required?.includes('org_id') && { needsOrganization: true }),
    ...(verb.assistant && { forAssistants: true }),
    ...(list && { list }),
  };
}

function fieldsOf(part: Field['in'], schema: Schema | undefined): Field[] {
  return Object.entries(schema?.properties ?? {})
    .filter(([name, { readOnly }]) => !readOnly && !(part === 'query' && ownFields.includes(name)))
    .map(([name, field]) => ({
      ...fieldOf(name, part, field, schema!.required?.includes(name) ?? false),
      ...exampleOf(name, schema!),
    }));
}

function exampleOf(name: string, { examples, properties, required }: Schema): Pick<Field, 'example'> {
  const { [name]: given } = (examples?.[0] ?? {}) as Record<string, unknown>;
  const example = given ?? (required?.includes(name) ? exampleIn(properties![name]!) : undefined);
  return example === undefined ? {} : { example };
}

function exampleIn({ examples, enum: words, items }: Schema): unknown {
  const example = examples?.[0] ?? words?.[0];
  return example === undefined && items ? [exampleIn(items)] : example;
}

function fieldOf(name: string, part: Field['in'], schema: Schema, isRequired: boolean): Field {
  const { description: text } = schema;
  const isList = typesOf(schema).includes('array') && typeOf(schema.items!) !== 'json';
  const one = isList ? schema.items! : schema;
  const choices = one.enum?.filter((word) => word !== null);
  return {
    name,
    in: part,
    type: typeOf(one),
    ...(text && { text }),
    ...(isRequired && { isRequired }),
    ...(typesOf(schema).includes('null') && { isNullable: true }),
    ...(isList && { isList: true }),
    ...(choices && { choices }),
    ...(schema.default !== undefined && { default: schema.default }),
  };
}

function typesOf({ type, anyOf = [] }: Schema): string[] {
  return [type ?? anyOf.flatMap(typesOf)].flat();
}

function typeOf(schema: Schema): Field['type'] {
  const [type, ...others] = typesOf(schema).filter((each) => each !== 'null');
  if (others.length > 0) return 'json';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return 'text';
  return type === 'boolean' ? 'boolean' : 'json';
}

export function listOf(verb: Declared): Operation['list'] {
  const { name, answer, columns, rows } = verb;
  const paging = pagingOf(verb);
  if (!name.endsWith(' list') && !columns && !paging) return undefined;
  const [path, row] = rowsIn(answer as Schema, rows);
  const paths = columns ?? simpleFields(row);
  return { rows: path, ...(paging && { paging }), columns: paths.map((column) => columnOf(row, column)) };
}

/** They are the answer, or the list that is declared, or else its first list of objects. */
function rowsIn(answer: Schema, declared: string | undefined): [path: string, row: Schema] {
  if (answer.items) return ['', answer.items];
  const { properties = {} } = answer;
  const isRows = ({ items }: Schema): boolean => items?.properties !== undefined;
  const path = declared ?? Object.keys(properties).find((field) => isRows(properties[field]!)) ?? '';
  const found = fieldAt(answer, path);
  if (!isRows(found)) throw new Error(`there is no list of objects at "${path}"`);
  return [path, found.items!];
}

function fieldAt(schema: Schema, path: string): Schema {
  return path
    .split('.')
    .reduce<Schema>((above, name) => (above.anyOf?.[0] ?? above).properties?.[name] ?? {}, schema);
}

function pagingOf({ query }: Declared) {
  const asked = Object.keys((query as Schema | undefined)?.properties ?? {});
  return (['cursor', 'page'] as const).find((name) => asked.includes(name));
}

const maxColumns = 7;

function simpleFields({ properties = {} }: Schema): string[] {
  return Object.entries(properties)
    .filter(([, field]) => !['json'].includes(typeOf(field)))
    .map(([name]) => name)
    .slice(0, maxColumns);
}

function columnOf(row: Schema, column: string | readonly [string, string]): Column {
  const [path, heading] = typeof column === 'string' ? [column, column] : column;
  const field = fieldAt(row, path);
  // Of a rate, the digits below a cent count, too. Some amounts are dollars or percent, as another field says.
  const isPlain = path.endsWith('_per_minute') || /percent|minutes/i.test(field.description ?? '');
  const isDollars = field.format === 'decimal' && !isPlain;
  return {
    heading: heading.replaceAll(/[_.]/g, ' ').toUpperCase(),
    path,
    kind: isDollars
      ? 'usd'
      : path.endsWith('_seconds')
        ? 'duration'
        : field.format === 'date-time'
          ? 'time'
          : 'other',
  };
}
