import { RE2JS, RE2JSException } from 're2js';

/** A regular expression that takes a time in proportion to the text, whatever the pattern (RE2's syntax). */
type LinearPattern = { matches: (text: string) => boolean };
type Read = LinearPattern | { fault: string };

const longestPattern = 200;
/** Longer texts are no labels: they are looked at up to here. */
const longestText = 256;
/** The time in proportion to the text is in proportion to this as well. Without counts, no pattern comes near it. */
const mostInstructions = 350;
/** How much a pattern may grow by its counts before it is so much as read: `(a{30}){30}` is 900 letters. */
const mostCopies = 10_000;

const remembered = new Map<string, Read>();
const mostRemembered = 1_000;

/**
 * The pattern, ready to find a match anywhere and in either case, or what is wrong with it. Patterns are remembered:
 * each recording looks at all of an organization's, and reading them takes longer than the rest of it.
 */
export function readPattern(source: string): Read {
  return recall(remembered, mostRemembered, source, () => compile(source));
}

function compile(source: string): Read {
  if (source.length > longestPattern) return { fault: `must have at most ${longestPattern} characters` };
  if (source.length * timesCounted(source) > mostCopies) return tooLarge;
  try {
    const pattern = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
    return pattern.programSize() > mostInstructions ? tooLarge : matcher(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) return { fault: `is not understood: ${reasonOf(error)}` };
    throw error;
  }
}

/** Without the words that stand before every reason, and the flag that is ours. */
function reasonOf({ message }: RE2JSException): string {
  return message.replace('error parsing regexp: ', '').replace('`(?i)', '`');
}

const tooLarge = { fault: 'repeats too much by its counts, such as {30}; use * or + in their place' };

/** The product of all counts, as if each stood within the one before. */
function timesCounted(source: string): number {
  const counts = source.matchAll(/\{(?:\d+,)?(\d+)/g);
  return counts.reduce((product, [, count]) => product * Math.max(1, Number(count)), 1);
}

const mostLabels = 100;

/** Jobs ask for the same few labels again and again. */
function matcher(pattern: RE2JS): LinearPattern {
  const known = new Map<string, boolean>();
  return {
    matches: (text) => {
      const label = text.slice(0, longestText);
      return recall(known, mostLabels, label, () => pattern.matcher(label).find());
    },
  };
}

/** What is remembered under the key, or else found; the oldest gives way to it. */
function recall<T>(memory: Map<string, T>, most: number, key: string, find: () => T): T {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const found = find();
  if (memory.size >= most) memory.delete(memory.keys().next().value!);
  memory.set(key, found);
  return found;
}
