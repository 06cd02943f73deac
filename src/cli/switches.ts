/** What can be on or off: digests, scheduled exports and comments on pull requests. */
import { Option, type Command } from 'commander';
import { CommandError } from './faults.ts';
import { printNote } from './output.ts';
import type { Answer, Input, Session } from './session.ts';

/** `--on` and `--off` in place of the field `enabled`. */
export const addOnAndOff =
  (on: string, off: string) =>
  (command: Command): Command =>
    command.option('--on', on).addOption(new Option('--off', off).conflicts('on'));

export function enabledOf({ on, off }: Record<string, unknown>): Input {
  return on || off ? { enabled: on === true } : {};
}

/** What was written, and when it is sent next. */
export function printScheduled({ id, next_at: next, warnings = [] }: Answer): void {
  console.log(id);
  printNote(next === null ? 'It is off.' : `Next: ${next}.`);
  for (const warning of warnings as string[]) printNote(warning);
}

/** Calls a verb that tries something, whose answer says what went wrong. */
export const trial =
  (verb: string) =>
  async (session: Session, input: Input): Promise<Answer> => {
    const tried = await session.call(verb, input);
    if (tried.error !== null) throw new CommandError(tried.error);
    return tried;
  };
