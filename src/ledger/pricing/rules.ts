import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../context.ts';
import type { Day } from '../../platform/lib/days.ts';
import { invalid, PublicError, requireLength } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { compare } from '../../platform/lib/lists.ts';
import { formatNanos } from '../../platform/lib/money.ts';
import { faultOfName, isBlank } from '../../platform/lib/text.ts';
import { differences, recordAudit } from '../../tenancy/audit/audit.ts';
import { lockCosts } from '../../tenancy/organizations/organizations.ts';
import { readRate } from './books.ts';
import { readPattern } from './linearPattern.ts';
import { storedLaterRates, type DatedPrice } from './priceBook.ts';
import { knownKind, type PriceRule } from './priceList.ts';
import type { Providers, Rounding } from './provider.ts';
import { findRuleRows, replaceRules, type RuleRow } from './queries.ts';

export type RuleInput = {
  match?: PriceRule['match'];
  pattern?: string;
  runner_kind?: string | null;
  name?: string | null;
  /** With later rates, the rate until the first of them. */
  usd_per_minute?: number | null;
  later_rates?: { effective_from: Day; usd_per_minute: number }[] | null;
  rounding?: Rounding | null;
  /** From 1 to one more than the number of other rules. Without it, a new rule becomes the last. */
  position?: number;
};

export type Rule = PriceRule & { position: number; createdAt: Date; updatedAt: Date };

const maxRules = 200;

export async function listRules({
  db,
  actor,
  providers,
}: Pick<Context, 'db' | 'actor' | 'providers'>): Promise<Rule[]> {
  return (await findRuleRows(db, actor.orgId)).map((row) => ruleOf(row, providers));
}

export async function createRule(ctx: Context, input: RuleInput): Promise<Rule> {
  const now = ctx.clock.now();
  const rule = readRule(input);
  return changeRules(ctx, async (rows) => {
    if (rows.length >= maxRules) {
      const message = `An organization can have at most ${maxRules} pricing rules. Delete one first.`;
      throw new PublicError('conflict', 'too_many_price_rules', message);
    }
    requireNew(rows, rule);
    const row = { ...rule, id: randomId('rule'), createdAt: now, updatedAt: now };
    return { row, rows: placed(rows, row, input.position), action: 'create', details: input };
  });
}

/** Makes a rule of the hint, after the other rules. Recorded jobs keep their price until a reprice. */
export async function acceptRateHint(ctx: Context, id: string): Promise<Rule> {
  const hint = ctx.providers.list.flatMap(({ rateHints }) => rateHints).find((each) => each.id === id);
  if (!hint) throw new PublicError('not_found', 'rate_hint_not_found', 'There is no such hint.');
  const [first, ...later] = hint.rates.map(({ effectiveFrom, nanosPerMinute }) => ({
    effective_from: effectiveFrom,
    usd_per_minute: dollarsOf(nanosPerMinute),
  }));
  if (!first) {
    const message = `We know no rate of ${hint.company}. Set it with a rule.`;
    throw new PublicError('conflict', 'rate_unknown', message);
  }
  const { name, pattern, rounding } = hint;
  const price = { usd_per_minute: first.usd_per_minute, later_rates: later };
  return createRule(ctx, { match: 'regex', pattern, name, rounding, ...price });
}

/** Changes the given fields. A runner kind replaces a rate, and a rate replaces a runner kind. */
export async function updateRule(ctx: Context, id: string, changes: RuleInput): Promise<Rule> {
  return changeRules(ctx, async (rows) => {
    const before = rowOf(rows, id);
    const rule = readRule({ ...inputOf(before, ctx.providers), ...meant(changes) });
    const row = { ...rule, id, createdAt: before.createdAt, updatedAt: ctx.clock.now() };
    const others = rows.filter((other) => other.id !== id);
    if (!isEqual(before, rule)) requireNew(rows, rule);
    const place = rows.indexOf(before) + 1;
    const changed = placed(others, row, changes.position ?? place);
    const details = differences(
      { ...inputOf(before, ctx.providers), position: place },
      { ...inputOf(row, ctx.providers), position: changed.indexOf(row) + 1 },
    );
    if (!details) return { row: before, rows, action: 'update', details };
    return { row, rows: changed, action: 'update', details };
  });
}

export async function deleteRule(ctx: Context, id: string): Promise<void> {
  await changeRules(ctx, async (rows) => {
    const row = rowOf(rows, id);
    return {
      row,
      rows: rows.filter((other) => other !== row),
      action: 'delete',
      details: inputOf(row, ctx.providers),
    };
  });
}

type Row = Omit<RuleRow, 'orgId' | 'position'>;
type Change = {
  row: Row;
  rows: Row[];
  action: 'create' | 'update' | 'delete';
  details: Record<string, unknown> | null;
};

async function changeRules(ctx: Context, change: (rows: Row[]) => Promise<Change>): Promise<Rule> {
  const { db, actor, providers } = ctx;
  return db.transaction().execute(async (tx) => {
    await lockCosts(tx, actor.orgId);
    const { row, rows, action, details } = await change(await findRuleRows(tx, actor.orgId));
    const answer = ruleOf({ ...row, orgId: actor.orgId, position: rows.indexOf(row) + 1 }, providers);
    if (!details) return answer;
    const written = rows.map((each, index) => ({ ...each, orgId: actor.orgId, position: index + 1 }));
    await replaceRules(tx, actor.orgId, written);
    await recordAudit(tx, ctx, `price_rule.${action}`, row.id, details);
    return answer;
  });
}

function rowOf(rows: Row[], id: string): Row {
  const row = rows.find((each) => each.id === id);
  if (!row) {
    const message = 'There is no such pricing rule in this organization.';
    throw new PublicError('not_found', 'price_rule_not_found', message);
  }
  return row;
}

function placed(others: Row[], row: Row, position = others.length + 1): Row[] {
  const last = others.length + 1;
  if (position > last) throw invalid('position', `must be from 1 to ${last}`);
  return others.toSpliced(position - 1, 0, row);
}

/** If two rules are equal, only the first can ever match. */
function requireNew(rows: Row[], rule: Settings): void {
  const index = rows.findIndex((row) => isEqual(row, rule));
  if (index === -1) return;
  const message = `Rule ${rows[index]!.id} at position ${index + 1} has the same condition and price.`;
  throw new PublicError('conflict', 'price_rule_exists', message);
}

function isEqual(one: Settings, other: Settings): boolean {
  const names = ['match', 'runnerKind', 'nanosPerMinute', 'rounding'] as const;
  // Patterns ignore case, but `\S` and `\s` differ.
  const pattern = ({ match, pattern: own }: Settings) => (match === 'regex' ? own : own.toLowerCase());
  const later = ({ laterRates }: Settings) => storedLaterRates(laterRates);
  return (
    names.every((name) => one[name] === other[name]) &&
    pattern(one) === pattern(other) &&
    isDeepStrictEqual(later(one), later(other))
  );
}

function meant(changes: RuleInput): RuleInput {
  const { position: _, ...rest } = changes;
  if (rest.runner_kind) return { name: null, usd_per_minute: null, later_rates: null, ...rest };
  if (rest.usd_per_minute !== undefined && rest.usd_per_minute !== null)
    return { runner_kind: null, ...rest };
  return rest;
}

type Settings = Omit<PriceRule, 'id'>;

function inputOf(rule: Settings, providers: Providers): RuleInput {
  const { match, pattern, runnerKind, name, nanosPerMinute, laterRates, rounding } = rule;
  return {
    match,
    pattern,
    name,
    rounding,
    runner_kind: knownKind(runnerKind, providers),
    usd_per_minute: nanosPerMinute === null ? null : dollarsOf(nanosPerMinute),
    later_rates: laterRates.map((rate) => ({
      effective_from: rate.effectiveFrom,
      usd_per_minute: dollarsOf(rate.nanosPerMinute),
    })),
  };
}

function dollarsOf(nanos: bigint): number {
  return Number(formatNanos(nanos));
}

function ruleOf({ orgId: _, runnerKind, ...row }: RuleRow, providers: Providers): Rule {
  return { ...row, runnerKind: knownKind(runnerKind, providers) };
}

export function readRule(input: RuleInput): Omit<PriceRule, 'id'> {
  const { match, pattern, runner_kind: runnerKind = null, name = null, rounding = null } = input;
  if (match === undefined) throw invalid('match', 'is required');
  if (pattern === undefined) throw invalid('pattern', 'is required');
  if (match !== 'regex' && isBlank(pattern)) throw invalid('pattern', 'must not be blank');
  requireLength(pattern, maxLabelLength, 'pattern');
  if (match === 'regex') {
    const read = readPattern(pattern);
    if ('fault' in read) throw invalid('pattern', read.fault);
  }
  const rate = input.usd_per_minute ?? null;
  const later = input.later_rates ?? [];
  if (runnerKind !== null) {
    if (rate !== null) throw invalid('usd_per_minute', 'cannot be combined with runner_kind');
    if (name !== null) throw invalid('name', 'cannot be combined with runner_kind');
    if (later.length > 0) throw invalid('later_rates', 'cannot be combined with runner_kind');
    return { match, pattern, runnerKind, name, nanosPerMinute: null, laterRates: [], rounding };
  }
  if (rate === null && later.length > 0)
    throw invalid('usd_per_minute', 'is required with later_rates: the rate until the first of them');
  if (rate === null) throw invalid('usd_per_minute', 'is required without runner_kind');
  if (name === null) throw invalid('name', 'is required with usd_per_minute');
  const fault = faultOfName(name);
  if (fault) throw invalid('name', fault);
  requireLength(name, maxNameLength, 'name');
  const nanosPerMinute = readRate(rate, 'usd_per_minute');
  const laterRates = readLater(later);
  return { match, pattern, runnerKind: null, name, nanosPerMinute, laterRates, rounding };
}

function readLater(rates: NonNullable<RuleInput['later_rates']>): DatedPrice[] {
  const days = rates.map(({ effective_from: day }) => day);
  return rates
    .map(({ effective_from: day, usd_per_minute: rate }, place) => {
      if (days.indexOf(day) < place)
        throw invalid(`later_rates[${place}].effective_from`, `repeats ${day}; give each first day one rate`);
      return { effectiveFrom: day, nanosPerMinute: readRate(rate, `later_rates[${place}].usd_per_minute`) };
    })
    .toSorted((a, b) => compare(a.effectiveFrom, b.effectiveFrom));
}

const maxLabelLength = 255;
const maxNameLength = 100;
