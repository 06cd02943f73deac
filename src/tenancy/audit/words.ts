import { exactDollars, toBillionths } from '../../platform/lib/amountTexts.ts';
import { dayOf, longDay, longTime } from '../../platform/lib/days.ts';
import { countOf } from '../../platform/lib/text.ts';

export type Details = Record<string, unknown>;

/** What an entry is about, by its name today or when the entry was recorded. */
export type Target = {
  name: string | null;
  /** The name of what has this id; else the id. */
  nameOf: (id: unknown) => string;
};

/** What somebody did, without who it was. A text gets the target's name at its end: `deleted the alert “Budget”`. */
export type Words = string | ((details: Details, target: Target) => string);

/** Entries about one kind of thing. The key of `words` is what follows the dot of an action: `alert.create`. */
export type AuditedKind = {
  /** Its choice in the filter of kinds. */
  title: string;
  /** The address of a thing's page, before its id: `/alerts/`. */
  page?: string;
  words: Record<string, Words>;
};

export function inWords(words: Words, details: Details, target: Target): string {
  return typeof words === 'string' ? called(words, target.name) : words(details, target);
}

export function quoted(name: string): string {
  return `“${name}”`;
}

export function called(thing: string, name: string | null): string {
  return name === null ? thing : `${thing} ${quoted(name)}`;
}

/** Writes values of details into a text. A missing one is left out, with a space that it leaves. */
export function say(texts: TemplateStringsArray, ...values: unknown[]): string {
  const written = values.map(textOf);
  return texts
    .map((text, index) => `${text}${written[index] ?? ''}`)
    .join('')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

export function textOf(value: unknown): string {
  if (Array.isArray(value)) return lists.format(value.map(textOf));
  if (typeof value === 'number') return value.toLocaleString('en-US', { maximumFractionDigits: 9 });
  return typeof value === 'string' ? value : '';
}

const lists = new Intl.ListFormat('en-US', { type: 'conjunction' });

/** A number as people write it, or the length of a list: `1 job`, `1,200 jobs`. */
export function countIn(value: unknown, unit: string): string {
  return countOf(Array.isArray(value) ? value.length : Number(value ?? 0), unit);
}

export function dollarsIn(value: unknown): string {
  const amount = Number(value ?? 0);
  if (!Number.isFinite(amount)) return textOf(value);
  return exactDollars(toBillionths(typeof value === 'string' ? value : amount.toFixed(9)));
}

/** `Nov 21, 2026` for the UTC day `2026-11-21`. A text that only looks like a day stays. */
export function dayIn(value: unknown): string {
  const at = new Date(textOf(value));
  return Number.isNaN(at.getTime()) ? textOf(value) : longDay(dayOf(at));
}

/** `Nov 21, 2026, 14:05 UTC` */
export function timeIn(value: unknown): string {
  const at = new Date(textOf(value));
  return Number.isNaN(at.getTime()) ? textOf(value) : longTime(at);
}

/** Words of an `update`, such as `changed the name of the alert “B” from A to B`. */
export function changed(thing: string): Words {
  return (details, target) => changedIn(called(thing, target.name), details, target);
}

export function changedIn(thing: string, details: Details, { nameOf }: Target): string {
  const changes = changesIn(details, nameOf);
  const [first, ...more] = changes;
  if (!first) return `changed ${thing}`;
  if (more.length > 0)
    return `changed ${thing}: ${changes.map((each) => `${each.field} ${fromTo(each)}`).join(', ')}`;
  if (first.field === 'enabled') return `turned ${first.after === 'yes' ? 'on' : 'off'} ${thing}`;
  return `changed the ${first.field} of ${thing} ${fromTo(first)}`;
}

/** `before` is null if it is unknown. */
type FieldChange = { field: string; before: string | null; after: string };

function fromTo({ before, after }: FieldChange): string {
  return before === null ? `to ${after}` : `from ${before} to ${after}`;
}

function changesIn(details: Details, nameOf: Target['nameOf']): FieldChange[] {
  const before = recordIn(details['before']);
  return Object.entries(details)
    .filter(([field]) => !isBefore(field, details))
    .map(([field, value]) => {
      const earlier = field in before ? before[field] : details[`${field}_before`];
      return {
        field: field.replaceAll('_', ' '),
        before: earlier === undefined ? null : valueOf(field, earlier, nameOf),
        after: valueOf(field, value, nameOf),
      };
    })
    .filter(({ before: earlier, after }) => earlier !== after || isCount.test(earlier));
}

/** Two lists of as many objects may differ inside. */
const isCount = /^\d+ items?$/;

function isBefore(field: string, details: Details): boolean {
  if (field === 'before') return isRecord(details[field]);
  return field.endsWith('_before') && field.slice(0, -'_before'.length) in details;
}

function isRecord(value: unknown): value is Details {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function recordIn(value: unknown): Details {
  return isRecord(value) ? value : {};
}

const monthNames = new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' });

function valueOf(field: string, value: unknown, nameOf: Target['nameOf']): string {
  if (field === 'fiscal_year_start_month' && typeof value === 'number')
    return monthNames.format(Date.UTC(2026, value - 1, 1));
  return plain(value, nameOf);
}

function plain(value: unknown, nameOf: Target['nameOf']): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return datedIn(value) ?? (nameOf(value) || 'empty');
  if (typeof value === 'number') return textOf(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return 'none';
    return value.some((each) => typeof each === 'object')
      ? countOf(value.length, 'item')
      : value.map((each) => plain(each, nameOf)).join(', ');
  }
  const parts = Object.entries(value as Details).map(
    ([field, part]) => `${field.replaceAll('_', ' ')} ${plain(part, nameOf)}`,
  );
  return parts.join(', ') || 'none';
}

function datedIn(text: string): string | null {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return dayIn(text);
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? timeIn(text) : null;
}
