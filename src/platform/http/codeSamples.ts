/** How to call each operation with curl and with TypeScript, as `x-codeSamples` of an OpenAPI document. */

type Schema = {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  /** The file name to use in samples. */
  'x-file'?: string;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  patternProperties?: Record<string, Schema>;
  items?: Schema;
};

type Media = { schema?: Schema; example?: unknown };
type Parameter = { name: string; in: string; required?: boolean; schema?: Schema; example?: unknown };

export type Operation = {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
  security?: object[];
  /** The header with the HMAC-SHA256 of the body, its prefix, and the variable with the key. */
  'x-signature'?: Signature;
  /** The cookie that the operation needs instead of a token. */
  'x-cookie'?: string;
};
export type Signature = { header: string; prefix: string; secret: string };
type Paths = Record<string, Record<string, Operation>>;

export function addCodeSamples<D extends object>(document: D, serverUrl: string): D {
  const { paths } = document as { paths: Paths };
  return {
    ...document,
    paths: mapValues(paths, (operations, path) => mapValues(operations, describe(path))),
  };

  function describe(path: string) {
    return (operation: Operation, method: string) => {
      const parameters = operation.parameters?.map((each) => ({ ...each, example: exampleOf(each) }));
      const described = { ...operation, ...(parameters && { parameters }) };
      const call = callOf(described, { method: method.toUpperCase(), url: serverUrl + path });
      const samples = [
        { lang: 'shell', label: 'curl', source: curlSample(call) },
        { lang: 'typescript', label: 'TypeScript', source: typeScriptSample(call) },
      ];
      return { ...described, 'x-codeSamples': samples };
    };
  }
}

function mapValues<T, U>(
  values: Record<string, T>,
  change: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
}

function exampleOf({ example, schema }: Parameter): unknown {
  return example ?? schema?.default ?? schema?.enum?.[0];
}

type Content = { kind: 'json'; value: unknown } | { kind: 'file'; name: string };
type Answer = { kind: 'json'; schema: Schema } | { kind: 'file'; name: string } | { kind: 'text' };

type Call = {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** The variable with the bearer token. */
  bearer: 'RUNCOST_TOKEN' | 'RUNCOST_OPERATOR' | 'RUNCOST_SHARE' | null;
  cookie: string | null;
  signature: Signature | null;
  content: Content | null;
  answer: Answer | null;
};

function callOf(operation: Operation, { method, url }: { method: string; url: string }): Call {
  const { parameters = [], requestBody } = operation;
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const cookie = operation['x-cookie'] ?? null;
  const headers = parameters
    .filter((each) => each.in === 'header')
    .map(({ name, example }) => [name, String(example)]);
  return {
    method,
    url: filledIn(url, parameters) + queryOf(parameters, method),
    headers: {
      ...Object.fromEntries(headers),
      ...(type && { 'Content-Type': type }),
      // Changes with a cookie are accepted only from the server's own pages.
      ...(cookie && { Origin: new URL(url).origin }),
    },
    bearer: cookie === null ? bearerOf(operation) : null,
    cookie,
    signature: operation['x-signature'] ?? null,
    content: media ? contentOf(media) : null,
    answer: answerOf(operation),
  };
}

function bearerOf({ security }: Operation): Call['bearer'] {
  if (security === undefined) return 'RUNCOST_TOKEN';
  const [scheme] = security.flatMap((each) => Object.keys(each));
  if (scheme === undefined) return null;
  return scheme === 'operator' ? 'RUNCOST_OPERATOR' : 'RUNCOST_SHARE';
}

function filledIn(url: string, parameters: Parameter[]): string {
  return url.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    return encodeURIComponent(String(parameter?.example));
  });
}

const notShown = ['page', 'per_page', 'org_id'];

/** And one filter as an example, but for deletions, where it could delete more. */
function queryOf(parameters: Parameter[], method: string): string {
  const queries = parameters.filter((each) => each.in === 'query');
  const filter = queries.find(({ required, name }) => !required && !notShown.includes(name));
  const shown = queries.filter((each) => each.required || (each === filter && method !== 'DELETE'));
  const search = new URLSearchParams();
  for (const { name, example } of shown) search.set(name, String(example));
  return search.size > 0 ? `?${search.toString()}` : '';
}

function contentOf({ schema, example }: Media): Content {
  return isFile(schema)
    ? { kind: 'file', name: schema?.['x-file'] ?? 'report.csv' }
    : { kind: 'json', value: example };
}

function answerOf({ responses }: Operation): Answer | null {
  const success = Object.keys(responses).find((status) => status.startsWith('2'))!;
  const [type, media] = Object.entries(responses[success]?.content ?? {})[0] ?? [];
  if (!type) return null;
  if (isFile(media?.schema)) return { kind: 'file', name: media?.schema?.['x-file'] ?? 'export.csv' };
  return type === 'application/json' ? { kind: 'json', schema: media?.schema ?? {} } : { kind: 'text' };
}

function isFile(schema: Schema | undefined): boolean {
  return schema?.format === 'binary';
}

function curlSample({ method, url, headers, bearer, cookie, signature, content, answer }: Call): string {
  const json = content?.kind === 'json' ? quoted(JSON.stringify(content.value, null, 2)) : null;
  const words = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`,
    bearer && `-H "Authorization: Bearer $${bearer}"`,
    cookie && `-H "Cookie: ${cookie}=$RUNCOST_SESSION"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    signature && `-H "${signature.header}: ${signature.prefix}$signature"`,
    json && `-d ${signature ? '"$body"' : json}`,
    content?.kind === 'file' && `--data-binary @${content.name}`,
    answer?.kind === 'file' && `--fail -o ${answer.name}`,
  ];
  const call = words.filter(Boolean).join(' \\\n  ');
  if (!signature) return call;
  const signing = `printf %s "$body" | openssl dgst -sha256 -hmac "$${signature.secret}" | sed 's/.* //'`;
  return `body=${json}\nsignature=$(${signing})\n${call}`;
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`;
}

function typeScriptSample(call: Call): string {
  const { url, signature, content, answer } = call;
  const files = [content?.kind === 'file' && 'readFile', answer?.kind === 'file' && 'writeFile'].filter(
    Boolean,
  );
  const imports = [
    signature && `import { createHmac } from 'node:crypto';`,
    files.length > 0 && `import { ${files.join(', ')} } from 'node:fs/promises';`,
  ].filter(Boolean);
  const options = optionsOf(call);
  const parts = [
    ...imports,
    imports.length > 0 && '',
    signature && `const body = ${jsonOf(content, '')};`,
    signature && `const hmac = createHmac('sha256', process.env.${signature.secret}!).update(body);`,
    `const response = await fetch(${text(url)}${options.length > 0 ? `, {\n${linesOf(options, '', ',')}}` : ''});`,
    'if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);',
    answer?.kind === 'json' && 'const answer = (await response.json()) as Answer;\nconsole.log(answer);\n',
    answer?.kind === 'json' && `type Answer = ${typeOf(answer.schema, '')};`,
    answer?.kind === 'text' && 'console.log(await response.text());',
    answer?.kind === 'file' && `await writeFile(${text(answer.name)}, response.body!);`,
  ];
  return parts.filter((part) => part !== false && part !== null).join('\n');
}

function optionsOf({ method, headers, bearer, cookie, signature, content }: Call): string[] {
  const sent = [
    bearer && `Authorization: \`Bearer \${process.env.${bearer}}\``,
    cookie && `Cookie: \`${cookie}=\${process.env.RUNCOST_SESSION}\``,
    ...Object.entries(headers).map(([name, value]) => `${key(name)}: ${text(value)}`),
    signature && `${key(signature.header)}: \`${signature.prefix}\${hmac.digest('hex')}\``,
  ].filter((each) => typeof each === 'string');
  return [
    method !== 'GET' && `method: ${text(method)}`,
    sent.length > 0 && `headers: ${block(sent, '  ')}`,
    content?.kind === 'file' && `body: await readFile(${text(content.name)})`,
    content?.kind === 'json' && (signature ? 'body' : `body: ${jsonOf(content, '  ')}`),
  ].filter((each) => typeof each === 'string');
}

function jsonOf(content: Content | null, indent: string): string {
  return content?.kind === 'json' ? `JSON.stringify(${literal(content.value, indent)})` : "''";
}

const maxWidth = 80;

function block(entries: string[], indent: string, separator = ','): string {
  if (entries.length === 0) return '{}';
  const line = `{ ${entries.join(`${separator} `)} }`;
  return fits(line, indent) ? line : `{\n${linesOf(entries, indent, separator)}${indent}}`;
}

function list(items: string[], indent: string): string {
  const line = `[${items.join(', ')}]`;
  return fits(line, indent) ? line : `[\n${linesOf(items, indent, ',')}${indent}]`;
}

function fits(line: string, indent: string): boolean {
  return indent.length + line.length <= maxWidth && !line.includes('\n');
}

function linesOf(entries: string[], indent: string, separator: string): string {
  return entries.map((entry) => `${indent}  ${entry}${separator}\n`).join('');
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : text(name);
}

function text(value: string): string {
  const inner = JSON.stringify(value)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"');
  return `'${inner.replaceAll("'", String.raw`\'`)}'`;
}

function literal(value: unknown, indent: string): string {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value))
    return list(
      value.map((item) => literal(item, `${indent}  `)),
      indent,
    );
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value);
  return block(
    entries.map(([name, each]) => `${key(name)}: ${literal(each, `${indent}  `)}`),
    indent,
  );
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.const !== undefined) return literal(schema.const, indent);
  if (schema.enum) return schema.enum.map((value) => literal(value, indent)).join(' | ');
  if (schema.anyOf) return unionOf(schema.anyOf.map((each) => typeOf(each, indent)));
  const types = [schema.type ?? []].flat();
  return types.length === 0 ? 'unknown' : unionOf(types.map((type) => simpleType(type, schema, indent)));
}

function unionOf(types: string[]): string {
  return [...new Set(types)].join(' | ');
}

function simpleType(type: string, schema: Schema, indent: string): string {
  if (type === 'integer') return 'number';
  if (type === 'array') {
    const { items = {} } = schema;
    const item = typeOf(items, indent);
    const isUnion = items.anyOf || items.enum || Array.isArray(items.type);
    return isUnion ? `(${item})[]` : `${item}[]`;
  }
  if (type !== 'object') return type;
  const { properties, patternProperties, required = [] } = schema;
  if (!properties) {
    const value = Object.values(patternProperties ?? {})[0];
    return `Record<string, ${value ? typeOf(value, indent) : 'unknown'}>`;
  }
  const fields = Object.entries(properties).map(
    ([name, each]) => `${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(each, `${indent}  `)}`,
  );
  return block(fields, indent, ';');
}
