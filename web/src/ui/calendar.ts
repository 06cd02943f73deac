export type Calendar = {
  /** IANA name. */
  time_zone: string;
  /** 1 is January. */
  fiscal_year_start_month: number;
  week_start: 'monday' | 'sunday';
};

const usual: Calendar = { time_zone: 'UTC', fiscal_year_start_month: 1, week_start: 'monday' };

let current = usual;

/** How the organization reads times and periods: what the session says, in the whole page. */
export function calendar(): Calendar {
  return current;
}

export function setCalendar(next: Calendar | null): void {
  current = next ?? usual;
}

// English names a zone briefly only where it is used: `CET` in Britain, `PST` in America.
const locales = ['en-US', 'en-GB', 'en-AU', 'en-NZ', 'en-IN', 'en-ZA', 'en-CA'];

type Zone = { names: Intl.DateTimeFormat[]; clock: Intl.DateTimeFormat };

/** Made once, because a page shows hundreds of times. */
const zones = new Map<string, Zone>();

function zoneOf(timeZone: string): Zone {
  const known = zones.get(timeZone);
  if (known) return known;
  const zone: Zone = {
    names: locales.map((locale) => new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' })),
    clock: new Intl.DateTimeFormat('sv-SE', {
      ...{ timeZone, year: 'numeric', month: '2-digit', day: '2-digit' },
      ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
    }),
  };
  zones.set(timeZone, zone);
  return zone;
}

/** `CET`, or `GMT+9` if the zone has no short name. */
export function zoneName(at: Date, timeZone = current.time_zone): string {
  if (timeZone === 'UTC') return 'UTC';
  const names = zoneOf(timeZone).names.map(
    (format) => format.formatToParts(at).find(({ type }) => type === 'timeZoneName')!.value,
  );
  return names.find((name) => /^[A-Z]{2,5}$/.test(name)) ?? names[0]!;
}

/** `2026-11-21` and `14:05:09` of an instant in a zone. */
export function clockIn(at: Date, timeZone = current.time_zone): { day: string; time: string } {
  const [day = '', time = ''] = zoneOf(timeZone).clock.format(at).split(' ');
  return { day, time };
}
