export type FieldError = { path: string; message: string };

export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'rate_limited'
  | 'unavailable';

/**
 * An error for the caller, with a stable `code` in snake_case. Callers never see the message of any other
 * error.
 */
export class PublicError extends Error {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly errors: FieldError[];

  constructor(kind: ErrorKind, code: string, message: string, errors: FieldError[] = []) {
    super(message);
    this.name = 'PublicError';
    this.kind = kind;
    this.code = code;
    this.errors = errors;
  }
}

/** The answer has the header `Retry-After`. */
export class TooManyRequests extends PublicError {
  readonly secondsLeft: number;

  constructor(message: string, secondsLeft: number) {
    super('rate_limited', 'rate_limited', message);
    this.secondsLeft = secondsLeft;
  }
}

/** A failure of background work for one organization. The log names the organization. */
export class OrganizationError extends Error {
  readonly organization: string;

  constructor(work: string, organization: string, cause: unknown) {
    super(`${work} of organization ${organization}`, { cause });
    this.organization = organization;
  }
}

export function invalid(path: string, message: string): PublicError {
  return new PublicError('invalid', 'invalid_request', `${path} ${message}`, [{ path, message }]);
}

/** A fault at a place with one name for all callers, such as a line of a file. */
export function invalidAt(place: string, message: string): PublicError {
  return new PublicError('invalid', 'invalid_request', `${place} ${message}`, [{ path: place, message }]);
}

/** For commands, whose input no request schema checks. */
export function requireLength(text: string, max: number, path: string): void {
  if (text.length > max) throw invalid(path, `must have at most ${max} characters`);
}

export function notFound(thing: string): PublicError {
  return new PublicError(
    'not_found',
    `${thing.replaceAll(' ', '_')}_not_found`,
    `There is no such ${thing} in this organization.`,
  );
}
