import { IconBook, IconSettings, IconUsersGroup, type Icon } from '@tabler/icons-react';
import { areaGroups } from './areas.ts';
import { settingsParts } from './settingsTopics.ts';

export type Item = {
  id: string;
  label: string;
  /** What it is in, such as a workflow's repository. */
  detail?: string;
  icon: Icon;
  /** Other words that find it. */
  words?: string;
  go: string | (() => void);
};

export type Group = { title: string; items: Item[] };

export const pages: Item[] = [
  ...areaGroups.flatMap(({ areas }) => areas).map((area) => ({ ...area, id: area.href, go: area.href })),
  { id: 'docs', label: 'API documentation', icon: IconBook, words: 'openapi reference curl', go: '/docs' },
];

/** Only found, not listed. */
export const settingsPages: Item[] = [
  ...settingsParts.map(({ name, title, words }) => ({
    id: `/settings/${name}`,
    label: title,
    detail: 'Settings',
    icon: IconSettings,
    words,
    go: `/settings/${name}`,
  })),
  {
    id: 'cost-centers',
    label: 'Cost centers',
    detail: 'Showback',
    icon: IconUsersGroup,
    go: '/showback?by=cost_center',
  },
];

/** Those with every word of the text, at the start of one of their own words. Matches of the label come first. */
export function matching<T extends Item>(items: readonly T[], text: string): T[] {
  const typed = wordsOf(text);
  const has = (of: string) => {
    const own = wordsOf(of);
    return typed.every((word) => own.some((each) => each.startsWith(word)));
  };
  const found = items.filter(({ label, detail = '', words = '' }) => has(`${label} ${detail} ${words}`));
  return found.toSorted((a, b) => Number(has(b.label)) - Number(has(a.label)));
}

const maxNear = 3;
const alikeLetters = 4;

/** The pages that someone may have meant with an address: those that share the start of a word with it. */
export function nearPages(path: string): Item[] {
  const asked = wordsOf(path).filter((word) => word.length > 2);
  const alike = (item: Item) => {
    const own = wordsOf(`${item.id} ${item.label} ${item.words ?? ''}`);
    const starts = asked.map((word) => word.slice(0, alikeLetters));
    return starts.filter((start) => own.some((word) => word.startsWith(start))).length;
  };
  return [...pages, ...settingsPages]
    .map((item) => ({ item, found: alike(item) }))
    .filter(({ found }) => found > 0)
    .toSorted((a, b) => b.found - a.found)
    .slice(0, maxNear)
    .map(({ item }) => item);
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

/** The label in pieces. Every second one was typed: at the start of a word, if the text stands there. */
export function piecesOf(label: string, text: string): string[] {
  const typed = wordsOf(text).toSorted((a, b) => b.length - a.length);
  if (typed.length === 0) return [label];
  const atStart = new RegExp(String.raw`(?<![\p{L}\p{N}])(${typed.join('|')})`, 'iu');
  return label.split(atStart.test(label) ? atStart : new RegExp(`(${typed.join('|')})`, 'iu'));
}
