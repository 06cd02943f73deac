import { CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { PublicError } from '../platform/lib/errors.ts';

/** What a script sees in the exit code of a command. */
export const exitCodes = { fault: 1, usage: 2, forbidden: 3, not_found: 4, away: 5 } as const;
export type FaultKind = keyof typeof exitCodes;

/** A fault for the person who typed the command. */
export class CommandError extends Error {
  readonly kind: FaultKind;

  constructor(message: string, kind: FaultKind = 'fault', options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandError';
    this.kind = kind;
  }
}

/** The server asks to wait. */
export class TooSoon extends CommandError {
  readonly seconds: number;

  constructor(message: string, seconds: number) {
    super(message);
    this.seconds = seconds;
  }
}

const kindOfError: Record<PublicError['kind'], FaultKind> = {
  invalid: 'usage',
  unauthenticated: 'forbidden',
  forbidden: 'forbidden',
  not_found: 'not_found',
  conflict: 'fault',
  rate_limited: 'fault',
  unavailable: 'away',
};

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return exitCodes[error.kind];
  if (error instanceof PublicError) return exitCodes[kindOfError[error.kind]];
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  if (error instanceof ConfigError) return exitCodes.usage;
  return exitCodes.fault;
}

const kindOfStatus: Record<number, FaultKind> = {
  400: 'usage',
  401: 'forbidden',
  403: 'forbidden',
  404: 'not_found',
  413: 'usage',
  415: 'usage',
  502: 'away',
  503: 'away',
  504: 'away',
};

export function kindOf(status: number): FaultKind {
  return kindOfStatus[status] ?? 'fault';
}
