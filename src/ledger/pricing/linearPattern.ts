import { RE2JS, RE2JSException } from 're2js';

/** A regular expression in RE2 syntax, which matches in time linear in the text, whatever the pattern. */
type LinearPattern = { matches: (text: string) => boolean };
type Read = LinearPattern | { fault: string };

const maxPatternLength = 200;
/** No label is longer. The rest of a text is ignored. */
const maxTextLength = 256;
/** Matching time also grows with the size of the compiled program. */
const maxInstructions = 350;
/** How much repetition counts may expand a pattern that we compile: `(a{30}){30}` is 900 letters. */
const maxExpandedLength = 10_000;

const cachedPatterns = new Map<string, Read>();
const maxCachedPatterns = 1_000;

/** Matches anywhere, ignoring case. Cached, because each recording uses all patterns of the organization. */
export function readPattern(source: string): Read {
  return recall(cachedPatterns, maxCachedPatterns, source, () => compile(source));
}

function compile(source: string): Read {
  if (source.length > maxPatternLength) return { fault: `must have at most ${maxPatternLength} characters` };
  if (source.length * timesCounted(source) > maxExpandedLength) return tooLarge;
  try {
    const pattern = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
    return pattern.programSize() > maxInstructions ? tooLarge : matcher(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) return { fault: `is not valid: ${reasonOf(error)}` };
    throw error;
  }
}

function reasonOf({ message }: RE2JSException): string {
  return message.replace('error parsing regexp: ', '').replace('`(?i)', '`');
}

const tooLarge = { fault: 'has counts that are too large, such as {30}; use * or + instead' };

function timesCounted(source: string): number {
  const counts = source.matchAll(/\{(?:\d+,)?(\d+)/g);
  return counts.reduce((product, [, count]) => product * Math.max(1, Number(count)), 1);
}

const maxCachedLabels = 100;

function matcher(pattern: RE2JS): LinearPattern {
  const known = new Map<string, boolean>();
  return {
    matches: (text) => {
      const label = text.slice(0, maxTextLength);
      return recall(known, maxCachedLabels, label, () => pattern.matcher(label).find());
    },
  };
}

function recall<T>(memory: Map<string, T>, max: number, key: string, find: () => T): T {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const found = find();
  if (memory.size >= max) memory.delete(memory.keys().next().value!);
  memory.set(key, found);
  return found;
}
