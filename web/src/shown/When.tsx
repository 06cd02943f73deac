import { Text, Tooltip } from '@mantine/core';

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const units: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

function ago(at: Date): string {
  const seconds = (at.getTime() - Date.now()) / 1_000;
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return unit === 'second' ? 'just now' : relative.format(Math.round(seconds / size), unit);
}

/** An instant in the viewer's zone, as of how long ago it was; in full and in UTC on hover and focus. */
export function When({ at, full = false }: { at: string | null; full?: boolean }) {
  if (at === null)
    return (
      <Text span inherit>
        –
      </Text>
    );
  const date = new Date(at);
  const isOld = Math.abs(Date.now() - date.getTime()) > 7 * 86_400_000;
  return (
    <Tooltip label={`${local.format(date)} · ${date.toISOString().replace('T', ' ').slice(0, 19)} UTC`}>
      <Text span inherit tabIndex={0}>
        <time dateTime={at}>{full || isOld ? local.format(date) : ago(date)}</time>
      </Text>
    </Tooltip>
  );
}

/** `1 h 4 min`, `3 min 12 s`, `8 s`. */
export function duration(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${rest} s` : `${rest} s`;
}
