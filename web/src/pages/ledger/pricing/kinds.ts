import type { Book } from '../../../api/queries.ts';
import type { Rule, RunnerKind, UnpricedRunner } from './queries.ts';
import { always } from './words.ts';

/** What setting a price in this row changes; null if it cannot have one. */
export type Target =
  | { by: 'list'; kind: string }
  | { by: 'rule'; rule: Rule }
  | { by: 'label'; match: Rule['match']; pattern: string };

export type KindRow = {
  key: string;
  name: string;
  /** The id of a kind, or the condition of a rule. */
  about: string;
  provider: string | null;
  /** Published rate in US dollars per minute. */
  list: number | null;
  /** The organization's own rate, if it differs. */
  own: number | null;
  /** The rate of new jobs today. */
  price: number | null;
  minutes: number;
  cost: number;
  /** Whether recorded minutes count as $0 because there is no price. */
  isUnpriced: boolean;
  target: Target | null;
};

export type Usage = ReadonlyMap<string, { minutes: number; cost: number }>;

type Known = {
  kinds: readonly RunnerKind[];
  books: readonly Book[];
  rules: readonly Rule[];
  unpriced: readonly UnpricedRunner[];
  usage: Usage;
  today: string;
};

const none = { minutes: 0, cost: 0 };

/** Everything that has or needs a price: unpriced rows first, then by cost. */
export function kindRows({ kinds, books, rules, unpriced, usage, today }: Known): KindRow[] {
  const chosen = books.find((book) => book.is_chosen);
  const base = publishedBase(chosen, books);
  const ofList = kinds.map((kind): KindRow => {
    const { runner_kind: id, title: name, provider_title: provider, usd_per_minute: price } = kind;
    const list = base ? priceOn(base, id, today) : null;
    const own = chosen?.is_shipped || price === list ? null : price;
    const used = usage.get(id) ?? none;
    const target = { by: 'list' as const, kind: id };
    const isUnpriced = price === null && used.minutes > 0;
    return { key: id, name, about: id, provider, list, own, price, ...used, isUnpriced, target };
  });
  const ofUnpriced = unpriced.map((runner) => unpricedRow(runner, rules, kinds));
  return [...ofUnpriced, ...ruleRows(rules, usage), ...ofList].toSorted(
    (a, b) => Number(b.isUnpriced) - Number(a.isUnpriced) || b.cost - a.cost || b.minutes - a.minutes,
  );
}

/** Own lists are copies, possibly of other own lists. Finds the published list that they started from. */
function publishedBase(book: Book | undefined, books: readonly Book[]): Book | undefined {
  let base = book;
  for (let depth = 0; base && !base.is_shipped && depth < books.length; depth++) {
    const { based_on: below } = base;
    base = books.find(({ id }) => id === below);
  }
  return base;
}

function priceOn({ prices }: Pick<Book, 'prices'>, kind: string, day: string): number | null {
  const valid = prices.filter((price) => price.runner_kind === kind && price.effective_from <= day);
  return (
    valid.toSorted((a, b) => a.effective_from.localeCompare(b.effective_from)).at(-1)?.usd_per_minute ?? null
  );
}

/** Rows for rules with a name and a rate. Rules with the same name share their usage, so only the first shows it. */
function ruleRows(rules: readonly Rule[], usage: Usage): KindRow[] {
  const shown = new Set<string>();
  return rules.flatMap((rule): KindRow[] => {
    const { id: key, name, usd_per_minute: own } = rule;
    if (name === null || own === null) return [];
    const used = (!shown.has(name) && usage.get(`custom:${name}`)) || none;
    shown.add(name);
    const target = { by: 'rule' as const, rule };
    const figures = { list: null, own, price: own, ...used, isUnpriced: false };
    return [{ key, name, about: conditionInWords(rule), provider: null, ...figures, target }];
  });
}

function conditionInWords({ match, pattern }: Pick<Rule, 'match' | 'pattern'>): string {
  return `${{ label: 'label', regex: 'labels like', runner_group: 'group' }[match]} ${pattern}`;
}

/** The start of a rule for these labels. Longer labels are more specific; without labels, the group decides. */
export function startOf({
  labels,
  runner_group: group,
}: UnpricedRunner): Pick<Rule, 'match' | 'pattern'> | null {
  const [longest] = labels.toSorted((a, b) => b.length - a.length);
  if (longest !== undefined) return { match: 'label', pattern: longest };
  return group === null ? null : { match: 'runner_group', pattern: group };
}

function unpricedRow(runner: UnpricedRunner, rules: readonly Rule[], kinds: readonly RunnerKind[]): KindRow {
  const { labels, runner_group: group, minutes } = runner;
  const start = startOf(runner);
  const rule = rules.find((each) => isLiteralMatch(each, runner));
  const ofKind = kinds.find((kind) => kind.runner_kind === rule?.runner_kind)?.usd_per_minute ?? null;
  const price = rule?.usd_per_minute ?? ofKind;
  return {
    key: JSON.stringify([labels, group]),
    name: labels.length === 0 ? (group ?? 'No labels') : labels.join(', '),
    about: group === null || labels.length === 0 ? 'label' : `group ${group}`,
    provider: null,
    list: null,
    own: null,
    price,
    minutes,
    cost: 0,
    isUnpriced: true,
    target: start && price === null ? { by: 'label', ...start } : null,
  };
}

function isLiteralMatch({ match, pattern }: Rule, { labels, runner_group: group }: UnpricedRunner): boolean {
  const isPattern = (text: string) => text.toLowerCase() === pattern.toLowerCase();
  if (match === 'label') return labels.some(isPattern);
  return match === 'runner_group' && group !== null && isPattern(group);
}

export const shows = ['used', 'own', 'unpriced', 'all'] as const;
export type Show = (typeof shows)[number];

export function shownRows(rows: readonly KindRow[], show: Show, search: string): KindRow[] {
  const wanted = search.trim().toLowerCase();
  const passes: Record<Show, (row: KindRow) => boolean> = {
    used: ({ minutes, own }) => minutes > 0 || own !== null,
    own: ({ own }) => own !== null,
    unpriced: ({ isUnpriced, price }) => isUnpriced || price === null,
    all: () => true,
  };
  return rows.filter(
    (row) =>
      passes[show](row) &&
      [row.name, row.about, row.provider ?? ''].some((text) => text.toLowerCase().includes(wanted)),
  );
}

type Price = { runner_kind: string; usd_per_minute: number; effective_from: string };

/** Adds a price from this day on, or from the beginning if the kind had none. */
export function withPrice(prices: readonly Price[], kind: string, rate: number, day: string): Price[] {
  const added = (from: string) => ({ runner_kind: kind, usd_per_minute: rate, effective_from: from });
  if (!prices.some((price) => price.runner_kind === kind)) return [...prices, added(always)];
  const others = prices.filter((price) => price.runner_kind !== kind || price.effective_from !== day);
  return [...others, added(day)];
}

export function nameOfOwnBook(books: readonly Pick<Book, 'name'>[]): string {
  const isTaken = (name: string) => books.some((book) => book.name.toLowerCase() === name.toLowerCase());
  for (let number = 1; ; number++) {
    const name = number === 1 ? 'Own prices' : `Own prices ${number}`;
    if (!isTaken(name)) return name;
  }
}
