/** Each path of the OpenAPI document refuses the methods that it does not have. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { request, sharedTestApp } from './harness/app.ts';

const { server } = await sharedTestApp();
const { paths } = (await request(server, { method: 'GET', url: '/openapi.json' })).body;

for (const [path, operations] of Object.entries<object>(paths)) {
  test(`${path} answers 405 to other methods, naming those it has`, async () => {
    const url = path.replaceAll(/\{\w+\}/g, 'x');
    const ask = (method: 'GET') => request(server, { method, url });
    const allow = String((await ask('PATCH' as 'GET')).headers['allow']).split(', ');
    for (const method of Object.keys(operations)) assert.ok(allow.includes(method.toUpperCase()), method);
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE']) {
      const answer = await ask(method as 'GET');
      assert.equal(answer.status === 405, !allow.includes(method), `${method} ${answer.status}`);
      assert.notEqual(answer.body?.code, 'route_not_found', method);
    }
  });
}
