import { Type, type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { invalidPayload } from './payload.ts';

// A program may spoil thousands of places: a few show which.
const maxErrors = 20;
const maximumTextLength = 1_024;
export const maximumLabels = 100;
export const maximumLabelLength = 255;

/** Absent, null or `schema`; one error for a wrong type, where a union would give three. Drops `Type.Refine`. */
export function maybe<T extends TSchema & { type: string }>(schema: T) {
  return Type.Optional(Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] }));
}

export const Text = Type.String({ maxLength: maximumTextLength });
export const MaybeText = maybe(Text);
/** Above 2^53 `JSON.parse` has already changed the digits, so two ids could have become one. */
export const Id = Type.Refine(
  Type.Number(),
  (value) => Number.isSafeInteger(value) && value > 0,
  () => 'must be a positive integer below 2^53',
);
export const MaybeLabels = maybe(
  Type.Array(Type.String({ maxLength: maximumLabelLength }), { maxItems: maximumLabels }),
);

/** Checks payloads against `schema`; throws the error of `invalidPayload`, naming each field that is at fault. */
export function payloadCheck<T extends TSchema>(schema: T): (payload: unknown) => Static<T> {
  const compiled = Compile(schema);
  return (payload) => {
    if (!compiled.Check(payload))
      throw invalidPayload(compiled.Errors(payload).slice(0, maxErrors).flatMap(fieldErrors));
    return payload as Static<T>;
  };
}

function fieldErrors(error: ReturnType<ReturnType<typeof Compile>['Errors']>[number]) {
  const path = error.instancePath.slice(1).replaceAll('/', '.');
  if (error.keyword !== 'required') return [{ path: path === '' ? 'body' : path, message: error.message }];
  return error.params.requiredProperties.map((property) => ({
    path: path === '' ? property : `${path}.${property}`,
    message: 'is required',
  }));
}
