import { RE2JS, RE2JSException } from 're2js';

/** A regular expression that takes a time in proportion to the text, whatever the pattern (RE2's syntax). */
export type LinearPattern = { matches: (text: string) => boolean };

const longestPattern = 200;
/** Longer texts are no labels: they are looked at up to here. */
const longestText = 256;

/** The pattern, ready to find a match anywhere and in either case, or what is wrong with it. */
export function readPattern(source: string): LinearPattern | { fault: string } {
  if (source.length > longestPattern) return { fault: `must have at most ${longestPattern} characters` };
  try {
    const pattern = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
    return { matches: (text) => pattern.matcher(text.slice(0, longestText)).find() };
  } catch (error) {
    if (error instanceof RE2JSException) return { fault: `is not understood: ${error.message}` };
    throw error;
  }
}
