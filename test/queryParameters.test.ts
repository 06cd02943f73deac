/** Tests every operation of the OpenAPI document: which unknown query parameters it refuses. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { specRoutes } from '../src/specRoutes.ts';
import { request, sharedTestApp } from './harness/app.ts';

const testApp = await sharedTestApp();
const { server } = testApp;
const owner = await testApp.newOrganization();
const { paths } = (await request(server, { method: 'GET', url: '/openapi.json' })).body;

type Operation = {
  security?: unknown[];
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
};
type Fault = { path: string; message: string };

const guarded = Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => !security)
      .map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

const specified = new Set(specRoutes.map((route) => route.replaceAll(/:(\w+)/g, '{$1}')));
const ignores = (name: string) => specified.has(name) || name === 'POST /v1/traces';

test('the 18 routes of the specification and the one for traces ignore unknown parameters', () => {
  assert.equal(specified.size, 18);
  assert.equal(guarded.filter(({ name }) => ignores(name)).length, 19);
});

describe('an unknown query parameter', () => {
  for (const { name, operation } of guarded) {
    const effect = ignores(name) ? 'is ignored' : 'is refused with the nearest name';
    test(`${effect}, and org_id is accepted: ${name}`, async () => {
      const [method, path] = name.split(' ') as ['GET', string];
      assert.ok(operation.parameters?.some((each) => each.name === 'org_id' && each.in === 'query'));
      const [[type, media] = []] = Object.entries(operation.requestBody?.content ?? {});
      const { body, text } = await request(server, {
        method,
        url: path.replace('{day}', '2026-03-17').replaceAll(/\{\w+\}/g, 'x'),
        query: { org_id: owner.orgId, org_i: 'x' },
        headers: { authorization: `Bearer ${owner.token}`, ...(media && { 'content-type': type }) },
        ...(media?.example !== undefined && { payload: media.example as object }),
      });
      const faults = ((body?.errors ?? []) as Fault[]).filter((fault) => fault.path.startsWith('query.org'));
      const refused = { path: 'query.org_i', message: 'is unknown; did you mean org_id?' };
      assert.deepEqual(faults, ignores(name) ? [] : [refused], text);
    });
  }
});

test('links and probes ignore the parameters that mail programs and monitors add', async () => {
  for (const url of ['/healthz?verbose', '/readyz?verbose', '/openapi.json?v=1'])
    assert.equal((await request(server, { method: 'GET', url })).status, 200, url);
});
