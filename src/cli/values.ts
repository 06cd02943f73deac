import { Option, type Command } from 'commander';
import type { Input } from './session.ts';

/** `--on` and `--off` in place of the field `enabled`. */
export const addOnAndOff =
  (on: string, off: string) =>
  (command: Command): Command =>
    command.option('--on', on).addOption(new Option('--off', off).conflicts('on'));

export function enabledOf({ on, off }: Record<string, unknown>): Input {
  return on || off ? { enabled: on === true } : {};
}

/** For options that can be repeated. */
export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
