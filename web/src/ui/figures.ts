import { clockIn, zoneName } from '../api/calendar.ts';

export const usd = (options: Intl.NumberFormatOptions = {}) =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', ...options });

const cents = usd();
const wholeDollars = usd({ maximumFractionDigits: 0 });
const exact = usd({ minimumFractionDigits: 2, maximumFractionDigits: 9 });
const compactDollars = usd({ notation: 'compact', minimumFractionDigits: 0, maximumFractionDigits: 2 });
/** More than two decimals, because ticks below a cent would look alike. */
const wholeOrExact = usd({ maximumFractionDigits: 9, trailingZeroDisplay: 'stripIfInteger' });
const threeDigits = usd({ minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const counts = new Intl.NumberFormat('en-US');
const shares = new Intl.NumberFormat('en-US', {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const days = new Intl.DateTimeFormat('en-US', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const datedDays = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
const months = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

export function count(value: number): string {
  return counts.format(value);
}

export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** For example `92.5%` for 0.925. Small shares never show as zero. */
export function share(fraction: number): string {
  if (fraction === 0) return '0%';
  return fraction > 0 && fraction < 0.0005 ? '<0.1%' : shares.format(fraction);
}

export function titleOfRun(run: { run_number: number | null; workflow: { name: string } }): string {
  return `Run${run.run_number === null ? '' : ` #${run.run_number}`} of ${run.workflow.name}`;
}

/** `Nov 21` for the UTC day `2026-11-21`. */
export function shortDay(day: string): string {
  return days.format(new Date(day));
}

const maxNamedDays = 3;

/** For example `Leaves out 2 days marked unusual: Nov 21 and Nov 22.` Empty if there are none. */
export function leftOutInWords(unusual: readonly string[]): string {
  if (unusual.length === 0) return '';
  const others = unusual.length - maxNamedDays;
  const named = [
    ...unusual.slice(0, maxNamedDays).map(shortDay),
    ...(others > 0 ? [`${count(others)} more`] : []),
  ];
  const last = named.pop()!;
  const list = named.length === 0 ? last : `${named.join(', ')} and ${last}`;
  return `Leaves out ${countOf(unusual.length, 'day')} marked unusual: ${list}.`;
}

/** `Nov 21, 2026` for the UTC day `2026-11-21`. */
export function longDay(day: string): string {
  return datedDays.format(new Date(day));
}

/** `Nov 21, 2026, 14:05 CET`, in the organization's zone. Days of costs are UTC days. */
export function timeText(instant: Date): string {
  const { day, time } = clockIn(instant);
  return `${longDay(day)}, ${time.slice(0, 5)} ${zoneName(instant)}`;
}

/** `Nov 21, 14:05` for a column whose header names the zone; with the year unless it is the current one. */
export function rowTime(instant: Date, now: Date): string {
  const { day, time } = clockIn(instant);
  const isThisYear = day.slice(0, 4) === clockIn(now).day.slice(0, 4);
  const zone = zoneName(instant);
  const other = zone === zoneName(now) ? '' : ` ${zone}`;
  return `${isThisYear ? shortDay(day) : longDay(day)}, ${time.slice(0, 5)}${other}`;
}

/** The time to the second in the organization's zone, in UTC and in the viewer's zone, if they differ. */
export function timeInFull(instant: Date, viewersZone = 'UTC'): string {
  const texts = [undefined, 'UTC', viewersZone].map((zone) => {
    const { day, time } = clockIn(instant, zone);
    return `${longDay(day)}, ${time} ${zoneName(instant, zone)}`;
  });
  return [...new Set(texts)].join(' · ');
}

export function monthName(month: string): string {
  return months.format(new Date(`${month}-01`));
}

/** Without the year, for months that are near. */
export function monthAlone(month: string): string {
  return monthName(month).replace(/ \d+$/, '');
}

const twoDecimals = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

export function gigabytes(size: number): string {
  if (size > 0 && size < 0.005) return '< 0.01 GB';
  return `${twoDecimals.format(size)} GB`;
}

/** Capitalizes text that stands alone: `In progress`. */
export function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `Intl` writes a hyphen instead of a minus. */
export function withMinus(text: string): string {
  return text.replace('-', '−');
}

/** US dollars for an axis, such as `$1.2K` or `$0.0035`. */
export function axisDollars(amount: number): string {
  return withMinus((Math.abs(amount) < 1_000 ? wholeOrExact : compactDollars).format(amount));
}

/** For example `$5,000`, `$0.50` or `$0.000000001`, as it was entered. */
export function limitDollars(amount: number): string {
  return wholeOrExact.format(amount);
}

/** For example `$257`, for estimates whose cents would suggest too much precision. */
export function roughDollars(amount: number): string {
  return amount < 10 ? dollars(amount) : wholeDollars.format(amount);
}

/** US dollars to the cent. Amounts below a cent never show as zero. */
export function dollars(amount: number): string {
  if (amount !== 0 && Math.abs(amount) < 0.005) return amount < 0 ? '>−$0.01' : '<$0.01';
  return withMinus(cents.format(amount));
}

/** The cost of a single item such as a job: below 10 cents with three digits, as in `$0.0283`. */
export function unitDollars(amount: number): string {
  return amount > 0 && amount < 0.1 ? threeDigits.format(amount) : dollars(amount);
}

export function signed(amount: number): string {
  return `${amount > 0 ? '+' : ''}${dollars(amount)}`;
}

/** For example `$6,400` or `$0.65`. The server rounds forecasts to what their likely range supports. */
export function forecastDollars(rounded: number): string {
  return dollars(rounded).replace(/\.00$/, '');
}

export function exactDollars(amount: number): string {
  return withMinus(exact.format(amount));
}

/** From this number of minutes on, seconds are left out. */
const longMinutes = 10;

/** For example `1 h 4 min`, `37 min`, `3 min 12 s` or `8 s`. */
export function duration(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  if (minutes >= longMinutes || (minutes > 0 && rest === 0)) return `${minutes} min`;
  return minutes > 0 ? `${minutes} min ${rest} s` : `${rest} s`;
}

/** An aggregate such as a median. From 5 minutes on it has no seconds. */
export function typicalDuration(seconds: number): string {
  return duration(seconds < 300 ? Math.round(seconds) : 60 * Math.round(seconds / 60));
}

const units: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/**
 * For example `5 minutes ago` or `in 2 hours`; `just now` below a minute. Rounds future times to the nearest unit, so that
 * `in 7 days` stays for a while.
 */
export function timeFrom(now: Date, at: Date): string {
  const seconds = Math.trunc((at.getTime() - now.getTime()) / 1_000);
  const found = units.find(([, length]) => Math.abs(seconds) >= length);
  if (!found) return 'just now';
  const [unit, size] = found;
  const exactly = seconds / size;
  return relative.format(exactly > 0 ? Math.round(exactly) : Math.trunc(exactly), unit);
}

/** Changes up to this size are gray, because costs vary that much anyway. */
const maxGrayPercent = 10;

/** Red for more cost and green for less, if the change is large as it is shown. A cost that is new has no percentage. */
export function directionClass(percent: number | null): string | undefined {
  if (percent === null) return undefined;
  if (Math.round(Math.abs(percent)) <= maxGrayPercent) return 'is-even';
  return percent > 0 ? 'is-up' : 'is-down';
}
