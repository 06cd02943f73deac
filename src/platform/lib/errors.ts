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
 * An error for the caller, with a stable `code` in snake_case. Any other error is ours, and its message stays inside.
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

/** Its answer says in `Retry-After` when to come back. */
export class TooManyFailures extends PublicError {
  readonly secondsLeft: number;

  constructor(message: string, secondsLeft: number) {
    super('rate_limited', 'rate_limited', message);
    this.secondsLeft = secondsLeft;
  }
}

/** A failure of background work for one organization, which the log names. */
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

export function notFound(thing: string): PublicError {
  return new PublicError(
    'not_found',
    `${thing.replaceAll(' ', '_')}_not_found`,
    `There is no such ${thing} in this organization.`,
  );
}
