import type { RuncostClient } from '../client.ts';
import { readChange, type Compared } from '../intake/revisions/readChange.ts';
import { operationOf, operations, type Field, type Operation } from '../operations.ts';

/** A property in JSON Schema. */
type Property = Record<string, unknown>;
type Arguments = Record<string, unknown>;

export type McpTool = {
  name: string;
  title: string;
  description: string;
  properties: Record<string, Property>;
  required: string[];
  call: (given: Arguments, runcost: RuncostClient, signal: AbortSignal) => Promise<unknown>;
};

type Ask = (path: string, options: object) => Promise<{ data: unknown }>;

/** A verb as a tool. The server checks what the assistant gives, and its answer goes to the assistant as it is. */
function toolOf(operation: Operation): McpTool {
  const { name, title, description, path, fields } = operation;
  const inPath = fields.filter((field) => field.in === 'params').map((field) => field.name);
  const address = `/api/v1${path.replaceAll(/:(\w+)/g, '{$1}')}`;
  return {
    name: name.replaceAll(/[ -]/g, '_'),
    title,
    description: description ? `${title}. ${description}` : `${title}.`,
    properties: {
      ...propertiesOf(fields),
      ...pageProperties[operation.list?.paging ?? ''],
    },
    required: fields.flatMap((field) => (field.isRequired ? field.name : [])),
    call: async (given, runcost, signal) => {
      const query = Object.fromEntries(Object.entries(given).filter(([field]) => !inPath.includes(field)));
      const { data } = await (runcost.GET as Ask)(address, { params: { path: given, query }, signal });
      return data;
    },
  };
}

const types: Record<Field['type'], string> = {
  text: 'string',
  number: 'number',
  boolean: 'boolean',
  json: 'object',
};

function propertiesOf(fields: readonly Field[]): Record<string, Property> {
  return Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)]));
}

function propertyOf({ type, choices, isList, text, default: otherwise }: Field): Property {
  const one = { type: types[type], ...(choices && { enum: choices }) };
  return {
    ...(isList ? { type: 'array', items: one } : one),
    ...(text && { description: text }),
    ...(otherwise !== undefined && { default: otherwise }),
  };
}

const pageProperties: Record<string, Record<string, Property>> = {
  page: {
    page: { type: 'number', description: 'from 1' },
    per_page: { type: 'number', description: 'rows of a page' },
  },
  cursor: { cursor: { type: 'string', description: '`next_cursor` of the page before' } },
};

const estimated = operationOf('estimate get');

const ref = (description: string): Property => ({ type: 'string', description });

/** Reads files of this computer, so it is more than its verb. */
const estimate: McpTool = {
  ...toolOf(estimated),
  name: 'estimate',
  description: `${estimated.title}. ${estimated.description} Sends the workflow files of both revisions; changes and runs nothing.`,
  properties: {
    folder: ref('absolute path of a git clone on this computer; by default where this server was started'),
    ...propertiesOf(estimated.fields),
    base: ref(
      'before the change: a branch, tag or commit of the clone, or a folder; by default where the branch left the default branch',
    ),
    head: ref('with the change: a ref or a folder; by default the working tree'),
    repository: ref('owner/name whose recorded runs count; by default that of the git remote origin'),
  },
  required: [],
  call: async ({ folder, ...asked }, runcost, signal) => {
    const place = folder === undefined ? {} : { folder };
    const change = await readChange({ folder: '.', ...asked, ...place } as Compared);
    const { data } = await (runcost.POST as Ask)('/api/v1/estimates', {
      body: { ...asked, ...change },
      signal,
    });
    // Assistants have words of their own.
    const { markdown: _, ...answer } = (data as { data: { markdown: string } }).data;
    return { data: answer };
  },
};

export function mcpTools(): McpTool[] {
  return [...operations.filter(({ forAssistants }) => forAssistants).map(toolOf), estimate];
}
