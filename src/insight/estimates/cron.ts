const fields: [min: number, max: number, names: readonly string[]][] = [
  [0, 59, []],
  [0, 23, []],
  [1, 31, []],
  [1, 12, ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']],
  [0, 7, ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']],
];

/** GitHub starts a scheduled workflow at most every 5 minutes. */
const maxRunsPerHour = 12;
/** Four years, to include a leap day. */
const daysCounted = 1_461;
const firstDay = Date.UTC(2024, 0, 1);

/** How often a cron expression with five fields fires in an average week. Null if it is invalid. */
export function runsPerWeek(expression: string): number | null {
  const texts = expression.trim().split(/\s+/);
  if (texts.length !== fields.length) return null;
  const sets = texts.map((text, index) => valuesOf(text, ...fields[index]!));
  const [minutes, hours, days, months, weekdays] = sets;
  if (!minutes || !hours || !days || !months || !weekdays) return null;
  // Sunday is 0 and 7.
  if (weekdays.has(7)) weekdays.add(0);
  // If both day fields are restricted, either may match, as in Vixie cron.
  const needsBoth = texts[2]!.startsWith('*') || texts[4]!.startsWith('*');
  let count = 0;
  for (let index = 0; index < daysCounted; index++) {
    const date = new Date(firstDay + index * 86_400_000);
    const [isDay, isWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
    if (months.has(date.getUTCMonth() + 1) && (needsBoth ? isDay && isWeekday : isDay || isWeekday)) count++;
  }
  return (Math.min(minutes.size, maxRunsPerHour) * hours.size * count * 7) / daysCounted;
}

function valuesOf(text: string, min: number, max: number, names: readonly string[]): Set<number> | null {
  const values = new Set<number>();
  for (const part of text.toLowerCase().split(',')) {
    const [, range, step] = /^([^/]+)(?:\/(\d{1,4}))?$/.exec(part) ?? [];
    if (range === undefined) return null;
    const numberOf = (word: string) => {
      const named = names.indexOf(word);
      return named >= 0 ? named + (min === 0 ? 0 : 1) : /^\d{1,2}$/.test(word) ? Number(word) : Number.NaN;
    };
    const [from, until = step === undefined ? undefined : String(max)] = range.split('-');
    const [first, last] = range === '*' ? [min, max] : [numberOf(from!), numberOf(until ?? from!)];
    const by = step === undefined ? 1 : Number(step);
    if (!(first >= min && last <= max && first <= last && by > 0)) return null;
    for (let value = first; value <= last; value += by) values.add(value);
  }
  return values;
}
