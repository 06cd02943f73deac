import { Text } from '@mantine/core';
import { timeFrom } from './figures.ts';

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

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
    <Text
      span
      inherit
      tabIndex={0}
      aria-description={`${local.format(date)} · ${date.toISOString().replace('T', ' ').slice(0, 19)} UTC`}
    >
      <time dateTime={at}>{full || isOld ? local.format(date) : timeFrom(new Date(), date)}</time>
    </Text>
  );
}
