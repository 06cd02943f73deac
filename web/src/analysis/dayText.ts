import { longDay } from '../ui/figures.ts';
import { isDay } from '../ui/useAddress.ts';

const months = 'january february march april may june july august september october november december'.split(
  ' ',
);

/**
 * The UTC day that someone typed, as pages show it or as `2026-11-21`. Empty for empty text, null if it is not a day.
 */
export function dayFrom(text: string): string | null {
  const typed = text.trim().replaceAll(/\s+/g, ' ');
  if (typed === '' || isDay(typed)) return typed;
  const [, year = '', month = '', date = ''] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(typed) ?? named(typed);
  const day = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
  return isDay(day) ? day : null;
}

/** `Nov 1, 2026` or `1 November 2026`, as the text with its year, the number of its month and its day. */
function named(text: string): string[] {
  const [, before = '', name = '', after = '', year = ''] =
    /^(\d{1,2} )?([a-z]{3,})\.?,?(?: (\d{1,2}),?)? (\d{4})$/i.exec(text) ?? [];
  const number = months.findIndex((each) => each.startsWith(name.toLowerCase())) + 1;
  return before && after ? [] : [text, year, String(number), (before || after).trim()];
}

type Field = 'from' | 'to';
export type DatesError = { text: string; fields: Field[] };

/** `first` is the first day of the plan's history. */
type Known = { first: string; today: string };

/** The period that someone typed, or which of its days are invalid and why. */
export function typedDates(from: string, to: string, known: Known): Record<Field, string> | DatesError {
  const [first, last] = [dayFrom(from), dayFrom(to)];
  if (!first || !last) {
    const fields = [...(first ? [] : ['from' as const]), ...(last ? [] : ['to' as const])];
    const wrong = (first === null ? from : to).trim();
    return { text: `${wrong && `“${wrong}” is not a day. `}Enter days such as Nov 1, 2026`, fields };
  }
  if (first > last || last > known.today)
    return {
      text: 'Enter a first day, then a last one, up to today',
      fields: [first > known.today ? 'from' : 'to'],
    };
  if (first < known.first)
    return {
      text: `Your plan’s history begins on ${longDay(known.first)}`,
      fields: last < known.first ? ['from', 'to'] : ['from'],
    };
  return { from: first, to: last };
}
