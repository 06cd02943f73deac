import assert from 'node:assert/strict';
import { test } from 'node:test';
import { request, sharedTestApp } from './harness/app.ts';

/** Links, probes, and requests whose bodies or answers are files or a provider's own: no verb describes them. */
const withoutVerb = [
  'GET /api/v1/exports/{id}/download',
  'GET /api/v1/shared',
  'GET /badge/{link}.svg',
  'GET /healthz',
  'GET /openapi.json',
  'GET /readyz',
  'GET /subscribe/{link}',
  'GET /unsubscribe/digest/{link}',
  'GET /unsubscribe/{link}',
  'POST /api/v1/bills/reports',
  'POST /api/v1/ingest/{source_id}',
  'POST /api/v1/runs',
  'POST /subscribe/{link}',
  'POST /unsubscribe/digest/{link}',
  'POST /unsubscribe/{link}',
  'POST /v1/traces',
  'PUT /api/v1/ownership/csv',
];

type Paths = Record<string, Record<string, { operationId?: string }>>;

test('every verb has an id of its own, of several words', async () => {
  const { server } = await sharedTestApp();
  const { paths } = (await request(server, { method: 'GET', url: '/openapi.json' })).body as { paths: Paths };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      id,
    })),
  );
  const ids = operations.flatMap(({ id }) => id ?? []);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[a-z]+(-[a-z]+)*(_[a-z]+(-[a-z]+)*)+$/);
  const others = operations.filter(({ id }) => id === undefined).map(({ name }) => name);
  assert.deepEqual(others.toSorted(), withoutVerb);
});
