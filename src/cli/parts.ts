import type { Command } from 'commander';
import type { TailoredGroup } from './verbCommand.ts';

/** Commands that one file adds. It is loaded only for them, so that each command starts fast. */
export type Part = {
  /** First words, with their texts in `--help`. */
  words: Record<string, string>;
  /** First words of the names of verbs whose commands these are. */
  nouns?: readonly string[];
  tailored?: () => Promise<TailoredGroup>;
  add?: () => Promise<(program: Command) => unknown>;
};

export const parts: readonly Part[] = [
  {
    words: { serve: 'start the server (the default command)', migrate: 'update the tables of the database' },
    add: async () => {
      const { addServeCommand, addMigrateCommand } = await import('./serve.ts');
      return (program) => (addServeCommand(program), addMigrateCommand(program));
    },
  },
  {
    words: { alert: 'list, check, measure, preview and create alerts' },
    nouns: ['alert'],
    tailored: async () => (await import('./alert.ts')).alertCommands,
  },
];

/** Verbs without a command, and why. */
export const withoutCommand: Record<string, string> = {};
