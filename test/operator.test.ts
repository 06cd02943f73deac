/** Tests every operation that the OpenAPI document gives to the server's operator alone. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newOperatorToken } from '../src/platform/lib/runningServers.ts';
import { request, sharedTestApp } from './harness/app.ts';
import { browsersOf } from './harness/sessions.ts';

const testApp = await sharedTestApp();
const { app, server } = testApp;
const owner = await testApp.newOrganization();
const { paths } = (await request(server, { method: 'GET', url: '/openapi.json' })).body;

type Described = { security?: object[]; requestBody?: object; responses: Record<string, object> };
type Operation = Described & { method: 'GET' | 'POST'; path: string };

const ofOperator = Object.entries(paths as Record<string, Record<string, Described>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods)
      .map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path }) as Operation)
      .filter(({ security = [] }) => security.some((each) => 'operator' in each)),
);

async function call(
  operation: Operation,
  token: string | null,
  options: { body?: object | undefined; query?: Record<string, string> } = {},
) {
  const { body, query = {} } = options;
  const answer = await request(server, {
    method: operation.method,
    url: operation.path,
    query,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    ...(body && { payload: body }),
  });
  assert.ok(operation.responses[answer.status], answer.text);
  assert.equal(answer.headers['cache-control'], 'no-store');
  return answer;
}

test("exactly these operations are the operator's alone", () => {
  assert.deepEqual(ofOperator.map(({ method, path }) => `${method} ${path}`).toSorted(), [
    'GET /api/v1/hold',
    'GET /api/v1/organizations',
    'POST /api/v1/hold/end',
    'POST /api/v1/organizations',
    'POST /api/v1/sign-in-links',
  ]);
});

describe("every operation of the server's operator", () => {
  for (const operation of ofOperator) {
    const name = `${operation.method} ${operation.path}`;
    const body = operation.requestBody ? { name: 'Ours' } : undefined;

    test(`${name} answers 401 without a token, and with an old one of the operator`, async () => {
      for (const token of [null, newOperatorToken(), `${app.operatorToken}x`])
        assert.equal((await call(operation, token, { body })).status, 401);
    });

    test(`${name} answers 403 to an owner's token and to a session`, async () => {
      const answer = await call(operation, owner.token, { body, query: { org_id: owner.orgId } });
      assert.deepEqual([answer.status, answer.body.code], [403, 'operator_only']);
      const cookie = await browsersOf(testApp).newSession({ token: owner.token });
      const { status } = await request(server, {
        method: operation.method,
        url: operation.path,
        headers: { cookie, origin: app.publicUrl() },
        ...(body && { payload: body }),
      });
      assert.equal(status, 403);
    });

    test(`${name} answers the operator, and a wrong body or parameter with 400`, async () => {
      const query = { org_id: owner.orgId };
      const answer = await call(operation, app.operatorToken, { body, query });
      assert.ok(answer.status < 300, answer.text);
      const wrong = body ? { body: { name: 7 } } : { query: { org_i: 'x' } };
      assert.equal((await call(operation, app.operatorToken, wrong)).status, 400);
    });
  }
});
