import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addCodeSamples, type Operation } from './codeSamples.ts';

const json = (schema: object, example?: unknown) => ({ 'application/json': { schema, example } });
const ok = { 200: { content: json({ type: 'object', properties: { id: { type: 'string' } } }) } };

/** The curl and the TypeScript sample of one operation at `http://here/things/{id}`. */
function samplesOf(operation: Partial<Operation>, method = 'get') {
  const path = '/things/{id}';
  const id = { name: 'id', in: 'path', required: true, example: 'a b/ü' };
  const parameters = [id, ...(operation.parameters ?? [])];
  const paths = { [path]: { [method]: { responses: ok, ...operation, parameters } } };
  const described = addCodeSamples({ openapi: '3.1.0', paths }, 'http://here') as unknown as {
    paths: Record<string, Record<string, Operation & { 'x-codeSamples': { source: string }[] }>>;
  };
  const { parameters: shown, 'x-codeSamples': samples } = described.paths[path]![method]!;
  return { curl: samples[0]!.source, typeScript: samples[1]!.source, parameters: shown! };
}

const url = 'http://here/things/a%20b%2F%C3%BC';

test('a request without a body has the token and the example of its id', () => {
  const { curl, typeScript } = samplesOf({});
  assert.equal(curl, `curl '${url}' \\\n  -H "Authorization: Bearer $RUNCOST_TOKEN"`);
  assert.equal(
    typeScript,
    `const response = await fetch('${url}', {
  headers: { Authorization: \`Bearer \${process.env.RUNCOST_TOKEN}\` },
});
if (!response.ok) throw new Error(\`\${response.status}: \${await response.text()}\`);
const answer = (await response.json()) as Answer;
console.log(answer);

type Answer = { id?: string };`,
  );
});

test('an operation without authentication sends none', () => {
  const { curl, typeScript } = samplesOf({ security: [] });
  assert.equal(curl, `curl '${url}'`);
  assert.ok(typeScript.startsWith(`const response = await fetch('${url}');\n`));
});

test('an operation of a session sends its cookie and origin instead of a token', () => {
  const { curl, typeScript } = samplesOf({ 'x-cookie': 'crumbs' }, 'delete');
  assert.equal(
    curl,
    `curl -X DELETE '${url}' \\\n  -H "Cookie: crumbs=$RUNCOST_SESSION" \\\n  -H 'Origin: http://here'`,
  );
  assert.ok(typeScript.includes('Cookie: `crumbs=${process.env.RUNCOST_SESSION}`'), typeScript);
  assert.ok(typeScript.includes("Origin: 'http://here'"), typeScript);
});

test('the query has all that is required and one filter, but no page; a deletion has no filter', () => {
  const query = (name: string, fields: object = {}) => ({ name, in: 'query', ...fields });
  const parameters = [
    query('page', { schema: { default: 1 } }),
    query('org_id', { required: true, example: 'o&1' }),
    query('days', { schema: { type: 'integer', default: 30 } }),
    query('status', { schema: { enum: ['open', 'done'] } }),
  ];
  const { curl, parameters: shown } = samplesOf({ parameters });
  assert.ok(curl.includes(`${url}?org_id=o%261&days=30'`), curl);
  assert.deepEqual(
    shown.map(({ example }) => example),
    ['a b/ü', 1, 'o&1', 30, 'open'],
  );
  assert.ok(samplesOf({ parameters }, 'delete').curl.includes(`curl -X DELETE '${url}?org_id=o%261'`));
});

test('a body is written as JSON and as a literal, whatever quotes it has', () => {
  const example = { name: `it's "so"`, 'x-y': [1, null, true, 'back\\slash\n'], empty: {}, none: [] };
  const { curl, typeScript } = samplesOf({ requestBody: { content: json({}, example) } }, 'put');
  assert.ok(curl.includes(`curl -X PUT '${url}'`));
  assert.ok(curl.includes(`-H 'Content-Type: application/json'`));
  assert.ok(curl.endsWith(`-d '${JSON.stringify(example, null, 2).replaceAll("'", String.raw`'\''`)}'`));
  const literal = /JSON\.stringify\((\{.*?\})\),\n\}\)/s.exec(typeScript)![1]!;
  assert.ok(literal.includes(`'x-y': [1, null, true, 'back\\\\slash\\n']`), literal);
  // oxlint-disable-next-line typescript/no-implied-eval -- what a reader would run
  assert.deepEqual(new Function(`return ${literal}`)(), example);
});

test('files are read from and written to the folder of the caller', () => {
  const file = { schema: { type: 'string', format: 'binary' } };
  const upload = samplesOf({ requestBody: { content: { 'text/csv': file } } }, 'post');
  assert.ok(upload.curl.includes(`-H 'Content-Type: text/csv' \\\n  --data-binary @report.csv`));
  assert.ok(upload.typeScript.startsWith("import { readFile } from 'node:fs/promises';\n\n"));
  assert.ok(upload.typeScript.includes("body: await readFile('report.csv')"));
  const download = samplesOf({ responses: { 404: {}, 200: { content: { 'text/csv': file } } } });
  assert.ok(download.curl.endsWith(' \\\n  --fail -o export.csv'));
  assert.ok(download.typeScript.endsWith("await writeFile('export.csv', response.body!);"));
});

test('a signature replaces the token', () => {
  const { curl, typeScript } = samplesOf(
    {
      security: [],
      'x-signature': { header: 'X-Signature', prefix: 'sha256=', secret: 'SOURCE_SECRET' },
      requestBody: { content: json({}, { a: 1 }) },
    },
    'post',
  );
  assert.match(curl, /^body='\{\n {2}"a": 1\n\}'\nsignature=\$\(printf %s "\$body" \| openssl dgst -sha256 /);
  assert.ok(curl.endsWith(`-H "X-Signature: sha256=$signature" \\\n  -d "$body"`));
  assert.ok(!curl.includes('Authorization'));
  assert.match(
    typeScript,
    /^import \{ createHmac \} from 'node:crypto';\n\nconst body = JSON\.stringify\(\{ a: 1 \}\);/,
  );
  assert.ok(typeScript.includes("'X-Signature': `sha256=${hmac.digest('hex')}`"));
});

test('an answer without content is not read, and one that is no JSON is text', () => {
  const failure = 'if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);';
  assert.ok(samplesOf({ responses: { 204: {} } }, 'delete').typeScript.endsWith(failure));
  const page = { 200: { content: { 'text/html': { schema: { type: 'string' } } } } };
  assert.ok(samplesOf({ responses: page }).typeScript.endsWith('console.log(await response.text());'));
});

test('the type of an answer is that of its schema', () => {
  const typeOf = (schema: object) =>
    samplesOf({ responses: { 200: { content: json(schema) } } })
      .typeScript.split('type Answer = ')[1]!
      .replace(/;$/, '');
  for (const [schema, type] of [
    [{}, 'unknown'],
    [{ type: 'integer' }, 'number'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: ['integer', 'number'] }, 'number'],
    [{ enum: ['a', null] }, "'a' | null"],
    [{ const: true }, 'true'],
    [{ anyOf: [{ type: 'object', properties: {} }, { type: 'null' }] }, '{} | null'],
    [{ type: 'array', items: { type: 'string' } }, 'string[]'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, "('a' | 'b')[]"],
    [
      { type: 'array', items: { anyOf: [{ type: 'object', properties: {} }, { type: 'null' }] } },
      '({} | null)[]',
    ],
    [
      {
        type: 'array',
        items: {
          anyOf: [
            { type: 'object', properties: { a: { type: 'string' } } },
            { type: 'object', properties: { b: { type: 'string' } } },
          ],
        },
      },
      '({ a?: string } | { b?: string })[]',
    ],
    [{ type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
    [{ type: 'array', items: { type: 'array', items: { type: 'number' } } }, 'number[][]'],
    [{ type: 'object', patternProperties: { '^.*$': { type: 'number' } } }, 'Record<string, number>'],
    [{ type: 'object' }, 'Record<string, unknown>'],
    [
      { type: 'object', properties: { a: { type: 'string' }, 'b-c': { type: 'array' } }, required: ['a'] },
      "{ a: string; 'b-c'?: unknown[] }",
    ],
  ] as const)
    assert.equal(typeOf(schema), type);
});
