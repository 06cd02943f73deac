import { called, dayIn, say, textOf, timeIn, type AuditedKind, type Details } from '../audit/words.ts';

const things: Record<string, string> = { badge: 'a badge', embed: 'an embed' };
const thingOf = ({ kind }: Details) => things[String(kind)] ?? 'a share link';

/** Fields of a question that say how it is drawn or cut, with `metric` and the days, which come first. */
const ofView = 'metric group_by days from to granularity compare sort ownership limit'.split(' ');

/** `cost by team · Nov 1, 2026 to Nov 30, 2026 · repository acme/api` */
function shownIn({ query }: Details): string {
  const asked = new URLSearchParams(textOf(query));
  const plain = (name: string) => name.replaceAll('_', ' ');
  const [days, from, to] = ['days', 'from', 'to'].map((name) => asked.get(name));
  const by = asked.getAll('group_by').filter(Boolean).map(plain);
  const range = from && to ? `${dayIn(from)} to ${dayIn(to)}` : days && `last ${days} days`;
  const filters = [...asked].filter(([name]) => !ofView.includes(name));
  return [
    say`${plain(asked.get('metric') ?? 'cost')} ${by.length > 0 && say`by ${by}`}`,
    range,
    ...filters.map(([name, value]) => `${plain(name)} ${value}`),
  ]
    .filter(Boolean)
    .join(' · ');
}

export const share = {
  title: 'Share links',
  words: {
    create: (details, { name }) => {
      const { kind, expires_at: until } = details;
      const created = called(`created ${thingOf(details)}`, name);
      if (kind === 'badge') return created;
      return `${created}${until ? ` until ${timeIn(until)}` : ''}: ${shownIn(details)}`;
    },
    revoke: (details, { name }) => {
      const revoked = called(`revoked ${thingOf(details)}`, name);
      return details['kind'] === 'badge' ? revoked : `${revoked} of ${shownIn(details)}`;
    },
  },
} satisfies AuditedKind;
