/** One fault in what a caller sent: where it stands and how to mend it. */
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
 * An error that the caller may see. `code` is stable and in snake_case; everything else that is thrown is a fault
 * of ours and leaves the program without its message.
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

/** The caller's input breaks a rule at `path`, such as `body.name`. */
export function invalid(path: string, message: string): PublicError {
  return new PublicError('invalid', 'invalid_request', `${path} ${message}`, [{ path, message }]);
}

/** Nothing of this organization has that id. `thing` is the resource's name, such as `member`. */
export function notFound(thing: string): PublicError {
  return new PublicError(
    'not_found',
    `${thing}_not_found`,
    `There is no such ${thing} in this organization.`,
  );
}
