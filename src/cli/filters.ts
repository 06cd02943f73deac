import { operationOf } from '../operations.ts';
import { nearestOf } from '../platform/lib/text.ts';
import { CommandError } from './faults.ts';
import type { Tailored } from './verbCommand.ts';

export const filterHelp = `
A filter names a dimension and a value. Repeat it to match any of several values. ! before a value excludes it, * stands for
any characters, = before a value takes it literally, and an empty value matches what has none.
`;

/** For options that can be repeated. */
export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** The filters of a verb have one option, because an option for each would bury the others. */
export function filtered(
  verb: string,
  text = 'only this value',
): Required<Pick<Tailored, 'called' | 'without' | 'more' | 'read'>> {
  const names = filtersOf(verb);
  const help = `${text} of ${names.join(', ')}; can be repeated`;
  return {
    called: Object.fromEntries(names.map((name) => [name, `--filter ${name}`])),
    without: names,
    more: (command) => command.option('--filter <name=value>', help, collect),
    read: (input, { filter = [] }) => ({ ...input, ...readPairs('--filter', filter as string[], names) }),
  };
}

export function filtersOf(verb: string): string[] {
  return operationOf(verb)
    .fields.filter(({ in: place, isList, choices }) => place === 'query' && isList && !choices)
    .map(({ name }) => name);
}

/** `branch=main` and `branch=fix` make `{ branch: ['main', 'fix'] }`. */
function readPairs(
  option: string,
  texts: readonly string[],
  names: readonly string[],
): Record<string, string[]> {
  const values: Record<string, string[]> = {};
  for (const text of texts) {
    const [, name = text, value] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    if (value === undefined)
      throw new CommandError(`${option} must be NAME=VALUE such as branch=main; "${text}" has no =`, 'usage');
    if (!names.includes(name)) {
      const nearest = nearestOf(name, names);
      const meant = nearest ? `; did you mean ${nearest}?` : '';
      throw new CommandError(
        `${option} must name one of ${names.join(', ')}; "${name}" is not one${meant}`,
        'usage',
      );
    }
    (values[name] ??= []).push(value);
  }
  return values;
}

/** The same for names that have one value each. */
export function readValues(...asked: Parameters<typeof readPairs>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(readPairs(...asked)).map(([name, [value, second]]) => {
      if (second !== undefined) throw new CommandError(`${asked[0]} names ${name} twice`, 'usage');
      return [name, value!];
    }),
  );
}
