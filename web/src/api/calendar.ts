export type Calendar = {
  /** IANA name. */
  time_zone: string;
  /** 1 is January. */
  fiscal_year_start_month: number;
  week_start: 'monday' | 'sunday';
};

const usual: Calendar = { time_zone: 'UTC', fiscal_year_start_month: 1, week_start: 'monday' };

let current = usual;

/** The time zone, fiscal year and week start of the organization, as the session reports them. */
export function calendar(): Calendar {
  return current;
}

export function setCalendar(next: Calendar | null): void {
  current = next ?? usual;
}

// Each English locale abbreviates only zones that are common there: `CET` in Britain, `PST` in America.
const locales = ['en-US', 'en-GB', 'en-AU', 'en-NZ', 'en-IN', 'en-ZA', 'en-CA'];

type Zone = { names: Intl.DateTimeFormat[]; clock: Intl.DateTimeFormat };

/** Created once, because a page shows hundreds of times. */
const zones = new Map<string, Zone>();

function zoneOf(timeZone: string): Zone {
  const known = zones.get(timeZone);
  if (known) return known;
  const zone: Zone = {
    names: locales.map((locale) => new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' })),
    clock: new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    }),
  };
  zones.set(timeZone, zone);
  return zone;
}

/** For example `CET`, or `GMT+9` if the zone has no abbreviation. */
export function zoneName(at: Date, timeZone = current.time_zone): string {
  if (timeZone === 'UTC') return 'UTC';
  const names = zoneOf(timeZone).names.map(
    (format) => format.formatToParts(at).find(({ type }) => type === 'timeZoneName')!.value,
  );
  return names.find((name) => /^[A-Z]{2,5}$/.test(name)) ?? names[0]!;
}

export function clockIn(at: Date, timeZone = current.time_zone): { day: string; time: string } {
  const [day = '', time = ''] = zoneOf(timeZone).clock.format(at).split(' ');
  return { day, time };
}
