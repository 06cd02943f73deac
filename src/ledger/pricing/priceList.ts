import { RE2JS, RE2JSException } from 're2js';
import type { Program } from '../../context.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { defaultBookId, readCustomBook, type PriceBook } from './priceBook.ts';
import type { Providers, Rounding, RunnerFacts } from './provider.ts';
import { findPriceListRow, type PriceListRow, type StoredRule } from './queries.ts';

export type PriceRule = {
  id: string;
  match: 'label' | 'regex' | 'runner_group';
  /** Compared in any case. A regular expression may match any part of a label. */
  pattern: string;
  runnerKind: string | null;
  name: string | null;
  nanosPerMinute: Nanos | null;
  /** Null keeps the usual rounding. */
  rounding: Rounding | null;
};

export type PriceList = { book: PriceBook; rules: readonly ReadyRule[]; providers: Providers };

type ReadyRule = PriceRule & { matches: (facts: RunnerFacts) => boolean };

/** An invalid pattern matches nothing. */
export function createPriceList(
  book: PriceBook,
  rules: readonly PriceRule[],
  providers: Providers,
): PriceList {
  return { book, rules: rules.map(readyRule), providers };
}

function readyRule(rule: PriceRule): ReadyRule {
  const wanted = rule.pattern.toLowerCase();
  if (rule.match === 'runner_group') {
    return { ...rule, matches: ({ runnerGroup }) => runnerGroup?.toLowerCase() === wanted };
  }
  if (rule.match === 'label') {
    return { ...rule, matches: ({ labels }) => labels.some((label) => label.toLowerCase() === wanted) };
  }
  const read = readPattern(rule.pattern);
  if ('fault' in read) return { ...rule, matches: () => false };
  return { ...rule, matches: ({ labels }) => labels.some(read.matches) };
}

/** A price list as JSON, for work that must finish with the list it started with. */
export type StoredPriceList = PriceListRow;

export async function findPriceList(
  { db, providers }: Pick<Program, 'db' | 'providers'>,
  orgId: string,
): Promise<PriceList> {
  return readPriceList(await findStoredPriceList(db, orgId), providers);
}

export async function findStoredPriceList(db: Database, orgId: string): Promise<StoredPriceList> {
  return (await findPriceListRow(db, orgId)) ?? { priceBookId: defaultBookId, book: null, rules: [] };
}

export function readPriceList(stored: StoredPriceList, providers: Providers): PriceList {
  const rules = stored.rules.map((rule) => readRule(rule, providers));
  return createPriceList(bookOf(stored, providers), rules, providers);
}

function bookOf({ priceBookId: id, book }: StoredPriceList, { books, kindIds }: Providers): PriceBook {
  const shipped = books.find((each) => each.id === id);
  if (shipped) return shipped;
  return book ? readCustomBook({ ...book, id }, kindIds) : books[0]!;
}

function readRule({ runnerKind, nanosPerMinute, ...rule }: StoredRule, providers: Providers): PriceRule {
  return {
    ...rule,
    runnerKind: knownKind(runnerKind, providers),
    nanosPerMinute: nanosPerMinute === null ? null : BigInt(nanosPerMinute),
  };
}

/** Null for a kind of a later version, too. */
export function knownKind(id: string | null, providers: Providers): string | null {
  return id === null ? null : (providers.kind(id)?.id ?? null);
}

/** A regular expression in RE2's syntax, whose time is linear in the text for any pattern. */
type LinearPattern = { matches: (text: string) => boolean };
type Read = LinearPattern | { fault: string };

const maxPatternLength = 200;
/** No label is longer; the rest of a text is ignored. */
const maxTextLength = 256;
/** Matching time also grows with the program's size. No pattern without counts comes near this limit. */
const maxInstructions = 350;
/** How much counts may multiply a pattern before we even compile it: `(a{30}){30}` is 900 letters. */
const maxExpandedLength = 10_000;

const cachedPatterns = new Map<string, Read>();
const maxCachedPatterns = 1_000;

/**
 * Compiles a pattern that matches anywhere in a text and in any case, or says what is wrong with it. Cached, because
 * each recording uses all patterns of the organization and compiling them would take longer than the rest.
 */
export function readPattern(source: string): Read {
  return recall(cachedPatterns, maxCachedPatterns, source, () => compile(source));
}

function compile(source: string): Read {
  if (source.length > maxPatternLength) return { fault: `must have at most ${maxPatternLength} characters` };
  if (source.length * timesCounted(source) > maxExpandedLength) return tooLarge;
  try {
    const pattern = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
    return pattern.programSize() > maxInstructions ? tooLarge : matcher(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) return { fault: `is not valid: ${reasonOf(error)}` };
    throw error;
  }
}

function reasonOf({ message }: RE2JSException): string {
  return message.replace('error parsing regexp: ', '').replace('`(?i)', '`');
}

const tooLarge = { fault: 'has counts that are too large, such as {30}; use * or + instead' };

function timesCounted(source: string): number {
  const counts = source.matchAll(/\{(?:\d+,)?(\d+)/g);
  return counts.reduce((product, [, count]) => product * Math.max(1, Number(count)), 1);
}

const maxCachedLabels = 100;

function matcher(pattern: RE2JS): LinearPattern {
  const known = new Map<string, boolean>();
  return {
    matches: (text) => {
      const label = text.slice(0, maxTextLength);
      return recall(known, maxCachedLabels, label, () => pattern.matcher(label).find());
    },
  };
}

function recall<T>(memory: Map<string, T>, max: number, key: string, find: () => T): T {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const found = find();
  if (memory.size >= max) memory.delete(memory.keys().next().value!);
  memory.set(key, found);
  return found;
}
