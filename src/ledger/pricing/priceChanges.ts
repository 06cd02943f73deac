import type { Context } from '../../context.ts';
import { exactDollars } from '../../platform/lib/amountTexts.ts';
import { addDays, dayOf, sliceOfDays, type Day } from '../../platform/lib/days.ts';
import { toNanos } from '../../platform/lib/money.ts';
import { listEntriesOf, type AuditRow } from '../../tenancy/audit/audit.ts';
import { getPriceSettings } from '../../tenancy/organizations/organizations.ts';
import { getBook, listBooks } from './books.ts';
import { beginning, type DatedPrice, type PriceBook } from './priceBook.ts';
import { ratesOf } from './priceList.ts';
import { listRules, type Rule, type RuleInput } from './rules.ts';
import type { TermsInput } from './terms.ts';

export type PriceChange = {
  id: string;
  day: Day;
  text: string;
  /** Null if the price list itself sets the date. */
  by: string | null;
  at: Date | null;
};

type ReadContext = Pick<Context, 'db' | 'actor' | 'providers'>;
type Days = { start: Day; end: Day };

const actions = [
  'price_rule.create',
  'price_rule.update',
  'price_rule.delete',
  'price_book.update',
  'pricing.update',
  'billing_terms.update',
] as const;

/** From changes to rules, lists and settings, and from dates in the rules and the chosen list. */
export async function listPriceChanges(ctx: ReadContext, { start, end }: Days): Promise<PriceChange[]> {
  const entries = await listEntriesOf(ctx, { actions, slice: sliceOfDays(start, end) });
  const rules = await listRules(ctx);
  const patternOf = new Map(rules.map(({ id, match, pattern }) => [id, conditionText({ match, pattern })]));
  const books = await listBooks(ctx);
  const bookName = (id: unknown) => books.find(({ book }) => book.id === id)?.book.name ?? String(id);
  const made = entries.flatMap((entry) => {
    const text = textOf(entry, patternOf, bookName);
    const { id, createdAt, actor } = entry;
    return text === null ? [] : [{ id, day: dayOf(createdAt), text, by: actor, at: createdAt }];
  });
  const { priceBookId } = await getPriceSettings(ctx.db, ctx.actor.orgId);
  const { book } = await getBook(ctx, priceBookId);
  return [
    ...made,
    ...rules.flatMap((rule) => datesOfRule(rule, { start, end })),
    ...datesOf(book, { start, end }, bookName),
  ];
}

type Details = Record<string, unknown> & { before?: Record<string, unknown> };

function textOf(
  { action, target, details }: AuditRow,
  patternOf: ReadonlyMap<string, string>,
  bookName: (id: unknown) => string,
): string | null {
  const changed = details as Details;
  if (action === 'pricing.update') {
    if (!('book_id' in changed)) return null;
    return `Switched to the price list “${bookName(changed.book_id)}”`;
  }
  if (action === 'billing_terms.update') return creditText(changed);
  if (action === 'price_book.update') {
    return 'prices' in changed ? `Price list changed: ${bookName(target)}` : null;
  }
  if (action === 'price_rule.create') return `Price rule added: ${ruleText(changed)}`;
  if (action === 'price_rule.delete') return `Price rule removed: ${ruleText(changed)}`;
  const priceNames = [
    'match',
    'pattern',
    'runner_kind',
    'usd_per_minute',
    'later_rates',
    'rounding',
    'position',
  ];
  if (!priceNames.some((name) => name in changed)) return null;
  const price = priceText(changed);
  const before = changed.before && priceText(changed.before);
  const how = price === '' ? '' : `${price}${before ? ` instead of ${before}` : ''}`;
  return ['Price rule changed', patternOf.get(target), how].filter(Boolean).join(': ');
}

/** Only the price of a credit changes what a job costs. */
function creditText({ terms, before }: Details): string | null {
  const wordsOf = (listed: unknown) =>
    ((listed ?? []) as TermsInput[]).flatMap(({ provider, effective_from: day, usd_per_credit: usd }) =>
      usd === null || usd === undefined
        ? []
        : [`${provider} ${exactDollars(toNanos(usd)!)}${day === beginning ? '' : ` from ${day}`}`],
    );
  const [now, earlier] = [wordsOf(terms).join(', '), wordsOf(before?.['terms']).join(', ')];
  return now === earlier ? null : `Price of a credit changed: ${now || "the price list's"}`;
}

function ruleText(rule: Details): string {
  return [conditionText(rule), priceText(rule)].filter(Boolean).join(' is ');
}

function conditionText({ match, pattern }: Record<string, unknown> | Rule): string {
  const words = { label: 'label', regex: 'labels like', runner_group: 'runner group' };
  return `${words[match as keyof typeof words] ?? ''} ${String(pattern)}`.trim();
}

function priceText(rule: Record<string, unknown>): string {
  const { runner_kind: kind, usd_per_minute: rate, later_rates: later } = rule as RuleInput;
  if (typeof kind === 'string') return kind;
  const words = (usd: number) => `${exactDollars(toNanos(usd)!)} per minute`;
  return [
    ...(typeof rate === 'number' ? [words(rate)] : []),
    ...(later ?? []).map((each) => `${words(each.usd_per_minute)} from ${each.effective_from}`),
  ].join(', ');
}

function datesOfRule(rule: Rule, { start, end }: Days): PriceChange[] {
  const rates = ratesOf(rule);
  return rates.flatMap((rate, place) => {
    const former = rates[place - 1];
    const day = rate.effectiveFrom;
    const isNew = former && former.nanosPerMinute !== rate.nanosPerMinute && day >= start && day <= end;
    const text = `New rate: ${conditionText(rule)} is ${datedRate(rate, former)}`;
    return isNew ? [{ id: `${rule.id}_${day}`, day, text, by: null, at: null }] : [];
  });
}

const maxListed = 3;

function datesOf(book: PriceBook, { start, end }: Days, bookName: (id: unknown) => string): PriceChange[] {
  const isWithin = (day: Day) => day >= start && day <= end;
  const dated = Object.entries(book.prices).flatMap(([kind, prices]) =>
    prices.flatMap((price, index) => {
      const former = prices[index - 1];
      const isNew = price.effectiveFrom !== beginning && price.nanosPerMinute !== former?.nanosPerMinute;
      return isNew && isWithin(price.effectiveFrom) ? [{ kind, price, former }] : [];
    }),
  );
  const changes = [...Map.groupBy(dated, ({ price }) => price.effectiveFrom)].map(([day, prices]) => ({
    id: `${book.id}_${day}`,
    day,
    text:
      prices.length > maxListed
        ? `New prices of ${prices.length} runner kinds in ${book.name}`
        : `New prices in ${book.name}: ${prices.map(datedText).join(', ')}`,
  }));
  const after = book.end && addDays(book.end.lastDay, 1);
  if (after && isWithin(after)) {
    const text = `${book.name} has ended; ${bookName(book.end!.nextBookId)} follows it`;
    changes.push({ id: `${book.id}_end`, day: after, text });
  }
  return changes.map((change) => ({ ...change, by: null, at: null }));
}

function datedText({
  kind,
  price,
  former,
}: {
  kind: string;
  price: DatedPrice;
  former: DatedPrice | undefined;
}) {
  return `${kind} ${datedRate(price, former)}`;
}

function datedRate({ nanosPerMinute }: DatedPrice, former: DatedPrice | undefined): string {
  const before = former ? ` instead of ${exactDollars(former.nanosPerMinute)}` : '';
  return `${exactDollars(nanosPerMinute)} per minute${before}`;
}
