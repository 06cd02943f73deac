import { longDay, sentence, timeText } from '../../ui/figures.ts';

type Details = Record<string, unknown>;
export type Names = ReadonlyMap<string, string>;

/** One changed field of an audit entry; `before` is null if unknown. */
export type FieldChange = { field: string; before: string | null; after: string };

export function changesIn(details: Details, names: Names): FieldChange[] {
  const before = isRecord(details['before']) ? details['before'] : {};
  return Object.entries(details)
    .filter(([field, value]) => !isBefore(field, value, details))
    .map(([field, value]) => {
      const earlier = field in before ? before[field] : details[`${field}_before`];
      return {
        field: field.replaceAll('_', ' '),
        before: earlier === undefined ? null : valueOf(field, earlier, names),
        after: valueOf(field, value, names),
      };
    })
    .filter(({ before: earlier, after }) => earlier !== after || isCount.test(earlier));
}

const monthNames = new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' });

/** Some fields have their own words on the pages. */
function valueOf(field: string, value: unknown, names: Names): string {
  if (field === 'fiscal_year_start_month' && typeof value === 'number')
    return monthNames.format(Date.UTC(2026, value - 1, 1));
  if (field === 'week_start' && typeof value === 'string') return sentence(value);
  return inWords(value, names);
}

const isCount = /^\d+ items?$/;

function isBefore(field: string, value: unknown, details: Details): boolean {
  if (field === 'before') return isRecord(value);
  return field.endsWith('_before') && field.slice(0, -'_before'.length) in details;
}

function isRecord(value: unknown): value is Details {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as text: `none`, `yes`, or a name with its id. Lists of objects are counted. */
function inWords(value: unknown, names: Names): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return value.toLocaleString('en-US', { maximumFractionDigits: 9 });
  if (typeof value === 'string') return dated(value) ?? named(value, names);
  if (Array.isArray(value)) return listInWords(value, names);
  const parts = Object.entries(value).map(
    ([field, part]) => `${field.replaceAll('_', ' ')} ${inWords(part, names)}`,
  );
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function listInWords(list: unknown[], names: Names): string {
  if (list.length === 0) return 'none';
  if (list.some((each) => typeof each === 'object'))
    return `${list.length} ${list.length === 1 ? 'item' : 'items'}`;
  return list.map((each) => inWords(each, names)).join(', ');
}

function dated(text: string): string | null {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return longDay(text);
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? timeText(new Date(text)) : null;
}

function named(text: string, names: Names): string {
  const name = names.get(text);
  return name === undefined ? text || 'empty' : `${name} (${text})`;
}

type Entry = { target: string; details: Details };

export function namesIn(entries: readonly Entry[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { target, details } of entries) {
    const before = isRecord(details['before']) ? details['before'] : {};
    const name = ['name', 'email', 'file_name', 'host']
      .map((field) => details[field] ?? before[field])
      .find((value) => typeof value === 'string');
    if (name !== undefined && !names.has(target)) names.set(target, name);
  }
  return names;
}
