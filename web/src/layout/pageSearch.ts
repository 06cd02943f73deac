import {
  IconBook,
  IconGitPullRequest,
  IconSettings,
  IconShare2,
  IconUsersGroup,
  type Icon,
} from '@tabler/icons-react';
import { places } from './areas.ts';
import { settingsTopics } from './settingsTopics.ts';

export type Item = {
  id: string;
  label: string;
  /** What contains the item, such as a workflow's repository. */
  detail?: string;
  icon: Icon;
  /** Synonyms for the search. */
  words?: string;
  go: string | (() => void);
};

export type Group = { title: string; items: Item[] };

export const pages: Item[] = [
  ...places.map((place) => ({ detail: 'Page', ...place, id: place.href, go: place.href })),
  {
    id: 'docs',
    label: 'API documentation',
    detail: 'Page',
    icon: IconBook,
    words: 'openapi reference curl',
    go: '/docs',
  },
];

/** Found by the search, but not listed. */
export const settingsPages: Item[] = [
  ...settingsTopics.flatMap(({ title: topic, parts }) =>
    parts.map(({ name, title: label, words }) => ({
      id: `/settings/${name}`,
      label,
      detail: 'Settings',
      icon: IconSettings,
      words: `${topic} ${words}`,
      go: `/settings/${name}`,
    })),
  ),
  {
    id: '/share-links',
    label: 'Share links',
    detail: 'Explore',
    icon: IconShare2,
    words: 'read-only public view expiry revoke badge embed',
    go: '/share-links',
  },
  {
    id: 'pull-request-costs',
    label: 'Cost of pull requests',
    detail: 'Workflows',
    icon: IconGitPullRequest,
    words: 'pr prs merge request merged closed',
    go: '/pull-requests',
  },
  {
    id: 'cost-centers',
    label: 'Cost centers',
    detail: 'Teams',
    icon: IconUsersGroup,
    go: '/teams?by=cost_center',
  },
];

/** Items that have every word of the text at the start of one of their own words. Matches in the label come first. */
export function matching<T extends Item>(items: readonly T[], text: string): T[] {
  const typed = wordsOf(text);
  const has = (of: string) => {
    const own = wordsOf(of);
    return typed.every((word) => own.some((each) => each.startsWith(word)));
  };
  const found = items.filter(({ label, detail = '', words = '' }) => has(`${label} ${detail} ${words}`));
  return found.toSorted((a, b) => Number(has(b.label)) - Number(has(a.label)));
}

/** 0 if the text is the item's name, also without its owner; 1 if the name starts with it. */
function rankOf({ label }: Item, text: string): 0 | 1 | 2 {
  const [typed, name] = [text.toLowerCase(), label.toLowerCase()];
  const names = name.includes(' ') ? [name] : [name, name.slice(name.lastIndexOf('/') + 1)];
  if (names.includes(typed)) return 0;
  return names.some((each) => each.startsWith(typed)) ? 1 : 2;
}

export function closest(items: readonly Item[], text: string): Item[] {
  return items.toSorted((a, b) => rankOf(a, text) - rankOf(b, text));
}

/** The title of the group with all items whose name is the text. */
export const exact = 'Exact name';

/**
 * Sorts groups: first all items whose name is the text, as one group, then the groups with a name that starts with it.
 * `kept` are titles of groups that people already see and whose order stays.
 */
export function bestFirst(groups: readonly Group[], text: string, kept: readonly string[] = []): Group[] {
  const filled = groups.filter(({ items }) => items.length > 0);
  if (text === '') return filled;
  const isExact = (item: Item) => rankOf(item, text) === 0;
  const others = filled.map(({ title, items }) => ({
    title,
    items: closest(
      items.filter((item) => !isExact(item)),
      text,
    ),
  }));
  const best = ({ items: [first] }: Group) => (first ? rankOf(first, text) : 3);
  const place = ({ title }: Group) => (kept.includes(title) ? kept.indexOf(title) : kept.length);
  return [
    { title: exact, items: filled.flatMap(({ items }) => items.filter(isExact)) },
    ...others.toSorted((a, b) => best(a) - best(b)),
  ]
    .filter(({ items }) => items.length > 0)
    .toSorted((a, b) => place(a) - place(b));
}

/** Keeps the first item of each destination and each thing. */
export function onceEach(groups: readonly Group[]): Group[] {
  const seen = new Set<string>();
  return groups.map(({ title, items }) => ({
    title,
    items: items.filter(({ id, go }) => {
      const keys = typeof go === 'string' ? [go, id] : [id];
      const isNew = !keys.some((key) => seen.has(key));
      for (const key of keys) seen.add(key);
      return isNew;
    }),
  }));
}

const maxNear = 3;
const alikeLetters = 4;

/**
 * Pages that the person may have meant by a wrong address: one of their words starts or reads like one of its words.
 */
export function nearPages(path: string): Item[] {
  const asked = wordsOf(path).filter((word) => word.length > 2);
  const alike = (item: Item) => {
    const own = wordsOf(`${item.id} ${item.label} ${item.words ?? ''}`);
    return asked.filter((typed) =>
      own.some((word) => word.startsWith(typed.slice(0, alikeLetters)) || isMistyped(typed, word)),
    ).length;
  };
  return [...pages, ...settingsPages]
    .map((item) => ({ item, found: alike(item) }))
    .filter(({ found }) => found > 0)
    .toSorted((a, b) => b.found - a.found)
    .slice(0, maxNear)
    .map(({ item }) => item);
}

/** Whether one letter is missing, added, wrong or swapped with its neighbor. */
function isMistyped(typed: string, word: string): boolean {
  if (typed.length < 4 || Math.abs(typed.length - word.length) > 1) return false;
  let at = 0;
  while (at < typed.length && typed[at] === word[at]) at++;
  const [left, right] = [typed.slice(at), word.slice(at)];
  return (
    left.slice(1) === right.slice(1) ||
    left.slice(1) === right ||
    left === right.slice(1) ||
    (left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2))
  );
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

/** Splits the label into pieces; every second one matches the typed text, at the start of a word if possible. */
export function piecesOf(label: string, text: string): string[] {
  const typed = wordsOf(text).toSorted((a, b) => b.length - a.length);
  if (typed.length === 0) return [label];
  const atStart = new RegExp(String.raw`(?<![\p{L}\p{N}])(${typed.join('|')})`, 'iu');
  return label.split(atStart.test(label) ? atStart : new RegExp(`(${typed.join('|')})`, 'iu'));
}
