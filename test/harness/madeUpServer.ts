import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { after } from 'node:test';
import { providers } from '../../src/intake/providers/providers.ts';
import { createProviders } from '../../src/ledger/pricing/provider.ts';
import { compileCheck } from '../../src/platform/http/validate.ts';
import { verbsOf } from '../../src/verbs.ts';

type Schema = {
  type?: string | string[];
  format?: string;
  const?: unknown;
  enum?: unknown[];
  examples?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
};
type Verb = ReturnType<typeof verbsOf>[number];

const verbs = verbsOf(createProviders(providers)).map((verb) => ({
  verb,
  asked: new RegExp(`^${verb.at.replaceAll(/:\w+/g, '[^/]+')}$`),
}));

/** Otherwise a command would go on forever. */
const noMore: Record<string, unknown> = { has_more: false, next_page: null };

/** A value of each field that the schema allows. */
function sampleOf({ type, format, anyOf, items, properties, ...schema }: Schema): unknown {
  if ('const' in schema) return schema.const;
  if (anyOf) return sampleOf(anyOf[0]!);
  if (items) return [sampleOf(items)];
  if (properties)
    return Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [
        name,
        name in noMore ? noMore[name] : sampleOf(each),
      ]),
    );
  const given = schema.examples?.[0] ?? schema.enum?.[0];
  // The body of a delivery is JSON itself.
  if (typeof given === 'string' && given.startsWith('{')) return 'text';
  if (given !== undefined) return given;
  const [kind] = [type].flat();
  if (kind === 'string') return format === 'date' ? '2026-03-17' : 'text';
  if (kind === 'boolean') return true;
  return kind === 'integer' || kind === 'number' ? 1 : {};
}

/** Answers each verb with two pages of a row each, or whatever its schema allows. Returns its address. */
export async function serveMadeUpAnswers(): Promise<string> {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await textOf(request);
  const { pathname, searchParams } = new URL(`http://localhost${request.url}`);
  const at = `${request.method} ${pathname.replace('/api/v1', '')}`;
  // A path without a parameter comes first, as in the server.
  const { verb } =
    verbs.find((each) => each.verb.at === at) ?? verbs.find(({ asked }) => asked.test(at)) ?? {};
  const send = (status: number, type: string, text: string): void =>
    void response.writeHead(status, { 'content-type': type }).end(text);
  if (!verb) return send(404, 'application/problem+json', JSON.stringify({ detail: `No verb is at ${at}.` }));
  const errors = [
    ...faultsIn(verb.query, 'query', Object.fromEntries(searchParams)),
    ...faultsIn(verb.body, 'body', body === '' ? undefined : JSON.parse(body)),
  ];
  if (errors.length > 0) return send(400, 'application/problem+json', JSON.stringify({ errors }));
  if (request.headers.accept === 'text/csv') return send(200, 'text/csv', 'a,b\r\n1,2\r\n');
  if (verb.text) return send(200, verb.text.contentType, 'text');
  send(verb.status ?? 200, 'application/json', JSON.stringify(madeUp(verb)));
}

function faultsIn(schema: Verb['query'], part: 'query' | 'body', value: unknown): object[] {
  if (!schema) return [];
  const checked = compileCheck(schema, part)(value);
  return 'errors' in checked ? checked.errors : [];
}

function madeUp({ answer: schema, isWhole }: Verb): unknown {
  const sample = sampleOf(schema as Schema) as { pagination?: { total?: number } };
  if (sample.pagination?.total !== undefined) sample.pagination.total = 2;
  return isWhole ? sample : { data: sample };
}
