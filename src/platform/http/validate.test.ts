import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type, type TSchema } from 'typebox';
import { namesIn } from './problem.ts';
import { compileCheck, meantYear } from './validate.ts';

const faults: [value: unknown, schema: TSchema, message: string][] = [
  [1e12, Type.Integer({ maximum: 1_000_000_000 }), 'must be at most 1,000,000,000'],
  [-1, Type.Integer({ minimum: 0 }), 'must be at least 0'],
  [0, Type.Number({ minimum: 0.000_000_001 }), 'must be at least 0.000000001'],
  [0, Type.Number({ exclusiveMinimum: 0 }), 'must be more than 0'],
  [1_000, Type.Number({ exclusiveMaximum: 1_000 }), 'must be less than 1,000'],
  [Array(1_001), Type.Array(Type.Unknown(), { maxItems: 1_000 }), 'must have at most 1,000 items'],
  ['x'.repeat(1_025), Type.String({ maxLength: 1_024 }), 'must have at most 1,024 characters'],
  ['2026-02-30', Type.String({ format: 'date' }), 'must be a calendar day such as 2026-01-31'],
  ['1850-01-01', Type.String({ format: 'date', pattern: meantYear }), 'must be in the years 1900 to 2999'],
];
for (const [value, schema, message] of faults) {
  test(`${JSON.stringify(value).slice(0, 20)} ${message}`, () => {
    const checked = compileCheck(Type.Object({ field: schema }), 'body')({ field: value });
    assert.deepEqual('errors' in checked && checked.errors, [{ path: 'body.field', message }]);
  });
}

test("a fault's field is where the route has it, and else in the body, if there is one", () => {
  const has = (...names: string[]) =>
    Type.Object(Object.fromEntries(names.map((name) => [name, Type.String()])));
  const [params, querystring] = [has('id', 'from'), has('from', 'limit')];
  const cases: [schema: object, field: string, path: string][] = [
    [{ querystring, body: has('from', 'to') }, 'from', 'body.from'],
    [{ querystring, body: has('to') }, 'from', 'query.from'],
    [{ querystring, body: Type.Union([has('a'), has('b')]) }, 'a[0].b', 'body.a[0].b'],
    [{ params, querystring }, 'from', 'query.from'],
    [{ params, querystring }, 'id', 'params.id'],
    [{ params, querystring }, 'metric', 'query.metric'],
    [{ params, body: has('scope') }, 'scope.value', 'body.scope.value'],
    [{ querystring, body: has() }, 'line 4', 'body.line 4'],
    [{ querystring, body: has() }, '', 'body'],
    [{}, 'constructor', 'query.constructor'],
  ];
  for (const [schema, field, path] of cases) assert.equal(namesIn(schema)(field), path);
});
