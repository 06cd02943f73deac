import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { type FieldError, PublicError } from '../../platform/lib/errors.ts';
import { revisionName } from '../../platform/lib/text.ts';
import { parseInstant } from '../../platform/lib/time.ts';

// Thousands of fields can be wrong, and a few show the fault.
const maxErrors = 20;
export const maxTextLength = 1_024;
export const maxLabelCount = 100;
export const maxLabelLength = 255;

/** Gives one error for a wrong type, where a union gives three. Drops `Type.Refine`. */
export function maybe<T extends TSchema & { type: string }>(schema: T) {
  return Type.Optional(Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] }));
}

export const Text = Type.String({ maxLength: maxTextLength });
export const MaybeText = maybe(Text);
/** Above 2^53, `JSON.parse` changes digits, so two ids could become one. */
export const Id = Type.Refine(
  Type.Number(),
  (value) => Number.isSafeInteger(value) && value > 0,
  () => 'must be a positive integer below 2^53',
);
export const MaybeLabels = maybe(
  Type.Array(Type.String({ maxLength: maxLabelLength }), { maxItems: maxLabelCount }),
);

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

export function invalidPayload(errors: FieldError[]): PublicError {
  const detail = errors.map(({ path, message }) => `${path} ${message}`).join('; ');
  return new PublicError('invalid', 'invalid_payload', `The payload cannot be recorded: ${detail}.`, errors);
}

const farthestFutureMilliseconds = 24 * 3_600_000;
const earliestTime = Date.UTC(2000, 0, 1);

export type Maybe<T> = T | null | undefined;

/** `path` is the record's place in the body. Refuses what is not a time, and times in the future. */
export function readTimes<Field extends string>(
  path: string,
  record: { [name in Field]?: Maybe<string> },
  fields: readonly Field[],
  receivedAt: Date,
): Record<Field, Date | null> {
  const errors: FieldError[] = [];
  const times: Partial<Record<Field, Date | null>> = {};
  for (const field of fields) {
    const time = readTime(record[field], receivedAt);
    if (typeof time === 'string')
      errors.push({ path: path === '' ? field : `${path}.${field}`, message: time });
    else times[field] = time;
  }
  if (errors.length > 0) throw invalidPayload(errors);
  return times as Record<Field, Date | null>;
}

function readTime(text: Maybe<string>, receivedAt: Date): Date | string | null {
  if (text === null || text === undefined) return null;
  // GitLab and Buildkite also send `2024-06-11 03:02:25 UTC`.
  const instant = parseInstant(text.replace(/ UTC$/, 'Z').replace(/ (?=[+-]\d\d:?\d\d$)/, ''));
  if (!instant) return 'must be an ISO 8601 time with an offset';
  return plausibleTime(instant.getTime(), receivedAt);
}

/** Null if there is no time, which providers also send as year 1 or 1970. A string is the error. */
export function plausibleTime(epochMilliseconds: number, receivedAt: Date): Date | string | null {
  if (epochMilliseconds < earliestTime) return null;
  if (epochMilliseconds > receivedAt.getTime() + farthestFutureMilliseconds) {
    return 'must not be more than 24 hours in the future';
  }
  return new Date(epochMilliseconds);
}

export function filled(text: Maybe<string>): string | null {
  return text === undefined || text === '' ? null : text;
}

/** The largest number that the database can store. */
export const maxStorableNumber = 2_147_483_647;

/** Null for an invalid number, which must not lose the report and its costs. */
export function storableNumber(given: unknown): number | null {
  const number = typeof given === 'string' && /^\d{1,10}$/.test(given) ? Number(given) : given;
  if (typeof number !== 'number' || !Number.isInteger(number)) return null;
  return number >= 1 && number <= maxStorableNumber ? number : null;
}

/** Null unless it is the hash or name of a revision. */
export function commitIn(given: unknown): string | null {
  return typeof given === 'string' && commitForm.test(given) ? given : null;
}

const commitForm = new RegExp(revisionName);

/** `scheme://[user@]host[:port]/path`; some have a colon before the path. */
const urlForm = /^[a-z][a-z\d+.-]*:\/\/(?:[^@/]*@)?(?:\[[^\]/]*\]|[^:/]+)(?::\d*\/|[:/])\/*(.+)$/i;
/** `[user@]host:path`; a single letter before the colon is a drive. */
const scpForm = /^(?:[^@:/]+@)?(?:\[[^\]/]*\]|[^@:/]{2,}):(?!\/\/)\/?(.+)$/;

/** Returns `owner/name` for `https://host/owner/name.git` or `git@host:owner/name.git`; otherwise null. */
export function repositoryPathOf(address: Maybe<string>): string | null {
  const [, path = ''] = urlForm.exec(address ?? '') ?? scpForm.exec(address ?? '') ?? [];
  const bare = path.replace(/(\.git)?\/*$/, '');
  return isRepositoryPath(bare) ? bare : null;
}

/** `owner/name`; some hosts have groups in between. */
export function isRepositoryPath(text: string): boolean {
  return /^[^/\s]+(\/[^/\s]+)+$/.test(text);
}

export function textIn(payload: unknown, field: string): string | null {
  if (payload === null || typeof payload !== 'object' || Array.isArray(payload)) {
    throw invalidPayload([{ path: 'body', message: 'must be a JSON object' }]);
  }
  const text: unknown = Object.hasOwn(payload, field) ? payload[field as keyof typeof payload] : null;
  return typeof text === 'string' ? text.slice(0, 100) : null;
}
