import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type, type TSchema } from 'typebox';
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
