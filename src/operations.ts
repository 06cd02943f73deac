import catalogue from './operations.json' with { type: 'json' };

/** An option or an argument of an operation. */
export type Field = {
  /** As in the API: `threshold_amount`. */
  name: string;
  in: 'params' | 'query' | 'body';
  type: 'text' | 'number' | 'boolean' | 'json';
  text?: string;
  isRequired?: true;
  isNullable?: true;
  /** Whether it is a list, whose values are given one by one. */
  isList?: true;
  choices?: string[];
  default?: string | number | boolean;
  /** What the verb's own example has, or an example of a field that is required. */
  example?: unknown;
};

export type Column = { heading: string; path: string; kind: 'usd' | 'time' | 'duration' | 'other' };

/** What the command line knows of a verb. `operations.json` is made from all verbs by `npm run api-types`. */
export type Operation = {
  /** `alert create` */
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `/alerts/:id`, below `/api/v1`. */
  path: string;
  title: string;
  description?: string;
  /** The page that shows or does the same. */
  page?: string;
  fields: Field[];
  /** Whether the server writes the answer as CSV, too. */
  hasCsv?: true;
  /** Whether the answer is a text, not JSON. */
  isText?: true;
  /** Whether the answer comes as it is, not as `{ data }`. */
  isWhole?: true;
  /** Whether its address must name the organization (`org_id`). */
  needsOrganization?: true;
  /** Whether it is a tool of AI assistants. */
  forAssistants?: true;
  /** Of a list: where the answer has its rows, such as `data.fixes`, or '' if it is them; and what a table shows. */
  list?: { rows: string; paging?: 'page' | 'cursor'; columns: Column[] };
};

export const operations = catalogue as Operation[];

export function operationOf(name: string): Operation {
  const found = operations.find((each) => each.name === name);
  if (!found) throw new Error(`no operation is called ${name}`);
  return found;
}
