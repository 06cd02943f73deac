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
  const [, before = '', month = '', after = '', year = ''] =
    /^(\d{1,2} )?([a-z]{3,})\.?,?(?: (\d{1,2}),?)? (\d{4})$/i.exec(typed) ?? [];
  if (before && after) return null;
  const number = months.findIndex((each) => each.startsWith(month.toLowerCase())) + 1;
  const day = `${year}-${String(number).padStart(2, '0')}-${(before || after).trim().padStart(2, '0')}`;
  return isDay(day) ? day : null;
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
    const wrong = (first ? to : from).trim();
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
