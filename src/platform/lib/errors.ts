export type FieldError = { path: string; message: string };

export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'rate_limited'
  | 'unavailable';

/** For the caller, with a stable `code`. Callers never see the message of any other error. */
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

  constructor(message: string, secondsLeft: number, code = 'rate_limited') {
    super('rate_limited', code, message);
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

/** What a caller calls a field: `body.name` over HTTP, `--name` on the command line. `''` is the whole input. */
export type NameOf = (field: string) => string;

type Said = { message: string; errors: FieldError[] };

/** A fault in fields of an operation's input, which whoever took the input names as its caller knows them. */
export class InvalidFields extends PublicError {
  readonly #say: (nameOf: NameOf) => Said;

  constructor(code: string, say: (nameOf: NameOf) => Said, kind: ErrorKind = 'invalid') {
    const { message, errors } = say((field) => field);
    super(kind, code, message, errors);
    this.#say = say;
  }

  named(nameOf: NameOf): PublicError {
    const { message, errors } = this.#say(nameOf);
    return new PublicError(this.kind, this.code, message, errors);
  }

  within(part: string): InvalidFields {
    const inPart = (field: string) => (field === '' ? part : `${part}.${field}`);
    return new InvalidFields(this.code, (nameOf) => this.#say((field) => nameOf(inPart(field))), this.kind);
  }
}

/** `message` is a function if it names other fields. */
export function invalid(field: string, message: string | ((nameOf: NameOf) => string)): InvalidFields {
  return new InvalidFields('invalid_request', (nameOf) => {
    const text = typeof message === 'string' ? message : message(nameOf);
    const path = nameOf(field);
    return { message: `${path} ${text}`.trimStart(), errors: [{ path, message: text }] };
  });
}

/** For a name that belongs to another resource, as `fault` says. */
export function nameTaken(code: string, message: string, fault: string): InvalidFields {
  return new InvalidFields(
    code,
    (nameOf) => ({ message, errors: [{ path: nameOf('name'), message: fault }] }),
    'conflict',
  );
}

/** Names the faults of a part of the input as fields of the whole. */
export function within<T>(part: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof InvalidFields ? error.within(part) : error;
  }
}

/** A fault at a place with one name for all callers, such as a line of a file. */
export function invalidAt(place: string, message: string): PublicError {
  return new PublicError('invalid', 'invalid_request', `${place} ${message}`, [{ path: place, message }]);
}

/** For commands, whose input no request schema checks. */
export function requireLength(text: string, max: number, field: string): void {
  if (text.length > max) throw invalid(field, `must have at most ${max} characters`);
}

export function notFound(thing: string): PublicError {
  return new PublicError(
    'not_found',
    `${thing.replaceAll(' ', '_')}_not_found`,
    `There is no such ${thing} in this organization.`,
  );
}
