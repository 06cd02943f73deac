import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import type { Day } from '../../platform/lib/days.ts';
import { invalid, PublicError, requireLength } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { onPage, type Page, type Paged } from '../../platform/lib/lists.ts';
import { faultOfName } from '../../platform/lib/text.ts';
import { differences, recordAudit } from '../../tenancy/audit/audit.ts';
import { lockCosts } from '../../tenancy/organizations/organizations.ts';
import { isUnowned, literalOf, ownerKinds, unowned, type Mapping, type OwnerKind } from './owners.ts';
import { findRules, saveRules, type RuleRow } from './queries.ts';

/** `position` counts from 1 across the rules of all sources. */
export type Rule = RuleRow;

export type RuleInput = {
  kind?: OwnerKind;
  owner?: string;
  repository?: string | null;
  workflow?: string | null;
  label?: string | null;
  valid_from?: Day | null;
  valid_until?: Day | null;
  /** The position among the rules that people wrote. Without it, a new rule becomes the last of them. */
  position?: number;
};

const maxRules = 10_000;

export { findRules as listMappings } from './queries.ts';

export async function listRules(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  page: Page,
): Promise<Paged<Rule>> {
  const rules = placed(await findRules(db, actor.orgId));
  return { rows: onPage(rules, page), total: rules.length };
}

export async function getRule({ db, actor }: Pick<Context, 'db' | 'actor'>, id: string): Promise<Rule> {
  return rowOf(placed(await findRules(db, actor.orgId)), id);
}

/** The stored positions of imported rules count only the rules of their source. */
function placed(rows: RuleRow[]): Rule[] {
  return rows.map((row, index) => ({ ...row, position: index + 1 }));
}

export async function createRule(ctx: Context, input: RuleInput): Promise<Rule> {
  const mapping = readMapping(input);
  const now = ctx.clock.now();
  const row = newRow(mapping, now);
  return ctx.db.transaction().execute(async (tx) => {
    const rules = await lockRules(tx, ctx.actor.orgId);
    const own = moved(rules.own, row, input.position);
    await replaceOwn(tx, ctx, rules, own);
    await recordAudit(tx, ctx, 'ownership_rule.create', row.id, input);
    return { ...row, position: own.indexOf(row) + 1 };
  });
}

export async function updateRule(ctx: Context, id: string, changes: RuleInput): Promise<Rule> {
  return ctx.db.transaction().execute(async (tx) => {
    const rules = await lockRules(tx, ctx.actor.orgId);
    const before = rowOf(rules.all, id);
    requireOwn(before);
    const mapping = readMapping({ ...inputOf(before), ...changes });
    const others = rules.own.filter((row) => row.id !== id);
    const row = { ...before, ...mapping, updatedAt: ctx.clock.now() };
    const own = moved(others, row, changes.position ?? before.position);
    const position = own.indexOf(row) + 1;
    const details = differences(
      { ...inputOf(before), position: before.position },
      { ...inputOf(row), position },
    );
    if (!details) return before;
    await replaceOwn(tx, ctx, rules, own);
    await recordAudit(tx, ctx, 'ownership_rule.update', id, details);
    return { ...row, position };
  });
}

/** Also deletes imported rules, but the next import restores them if they are still in its source. */
export async function deleteRule(ctx: Context, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const rules = await lockRules(tx, ctx.actor.orgId);
    const row = rowOf(rules.all, id);
    if (row.source === 'manual') {
      await replaceOwn(
        tx,
        ctx,
        rules,
        rules.own.filter((other) => other !== row),
      );
    } else await saveRules(tx, ctx.actor.orgId, { changed: [], removed: [id] });
    await recordAudit(tx, ctx, 'ownership_rule.delete', id, inputOf(row));
  });
}

export type LockedRules = { all: RuleRow[]; own: RuleRow[] };

/** Also locks costs: changed rules change the costs of teams, whose budgets must then be checked again. */
export async function lockRules(tx: Transaction, orgId: string): Promise<LockedRules> {
  await lockCosts(tx, orgId);
  const all = await findRules(tx, orgId);
  return { all, own: all.filter(({ source }) => source === 'manual') };
}

/** Writes only differences, because there can be thousands of rules. */
export async function replaceOwn(
  tx: Transaction,
  { actor }: Pick<Context, 'actor'>,
  before: LockedRules,
  own: readonly RuleRow[],
): Promise<void> {
  const imported = before.all.length - before.own.length;
  requireFew(own.length + imported);
  const useless = findUseless(own);
  if (useless) throw neverApplies(useless);
  await saveRules(tx, actor.orgId, changesBetween(before.own, own));
}

export function requireFew(count: number): void {
  if (count <= maxRules) return;
  const message = `An organization can have at most ${maxRules.toLocaleString('en-US')} ownership rules. Replace several by a pattern such as acme/api-*.`;
  throw new PublicError('conflict', 'too_many_ownership_rules', message);
}

export function changesBetween(before: readonly RuleRow[], after: readonly RuleRow[]) {
  const known = new Set(before);
  const changed = after.flatMap((row, index) =>
    known.has(row) && row.position === index + 1 ? [] : [{ ...row, position: index + 1 }],
  );
  const kept = new Set(after.map(({ id }) => id));
  return { changed, removed: before.map(({ id }) => id).filter((id) => !kept.has(id)) };
}

export function newRow(mapping: Mapping, now: Date, source: RuleRow['source'] = 'manual'): RuleRow {
  return { ...mapping, id: randomId('own'), source, position: 0, createdAt: now, updatedAt: now };
}

function rowOf(rows: RuleRow[], id: string): RuleRow {
  const row = rows.find((each) => each.id === id);
  if (row) return row;
  const message = 'There is no such ownership rule in this organization.';
  throw new PublicError('not_found', 'ownership_rule_not_found', message);
}

function requireOwn({ source }: RuleRow): void {
  if (source === 'manual') return;
  const from = source === 'codeowners' ? 'a CODEOWNERS file' : 'custom properties';
  const message = `This rule was imported from ${from}, and the next import would undo the change. Add a rule of your own: it comes first.`;
  throw new PublicError('conflict', 'imported_rule', message);
}

function moved(others: RuleRow[], row: RuleRow, position = others.length + 1): RuleRow[] {
  const last = others.length + 1;
  if (position > last) throw invalid('position', `must be from 1 to ${last}`);
  return others.toSpliced(position - 1, 0, row);
}

/** A rule never matches if an earlier rule has the same patterns and applies on all of its days. */
export function findUseless(rules: readonly Mapping[]): Useless | null {
  const earlier = new Map<string, number[]>();
  for (const [index, rule] of rules.entries()) {
    const key = patternsOf(rule);
    const alike = earlier.get(key) ?? [];
    const first = alike.find((place) => holdsThroughout(rules[place]!, rule));
    if (first !== undefined) return { index, first, owner: rules[first]!.owner };
    earlier.set(key, [...alike, index]);
  }
  return null;
}

/** Indexes from 0, and the owner of the first rule. */
type Useless = { index: number; first: number; owner: string };

function patternsOf({ kind, repository, workflow, label }: Mapping): string {
  const patterns = [repository?.toLowerCase() ?? null, workflow, label?.toLowerCase() ?? null];
  return JSON.stringify([kind, ...patterns.map((pattern) => pattern && normalized(pattern))]);
}

/** `acme/api` and `=acme/api` match the same repositories. */
function normalized(pattern: string): string {
  const literal = literalOf(pattern);
  return literal === null ? pattern : `=${literal}`;
}

function holdsThroughout(one: Mapping, other: Mapping): boolean {
  const begins = one.validFrom === null || (other.validFrom !== null && one.validFrom <= other.validFrom);
  const ends = one.validUntil === null || (other.validUntil !== null && one.validUntil >= other.validUntil);
  return begins && ends;
}

function neverApplies({ index, first, owner }: Useless): PublicError {
  const message =
    `The rule at position ${index + 1} would never apply: the rule at position ${first + 1} has the same patterns and ` +
    `maps them to ${owner} on all its days. End that rule with \`valid_until\`, or place it after this one.`;
  return new PublicError('conflict', 'ownership_rule_exists', message);
}

export function inputOf(rule: Mapping): RuleInput {
  const { kind, owner, repository, workflow, label, validFrom, validUntil } = rule;
  return { kind, owner, repository, workflow, label, valid_from: validFrom, valid_until: validUntil };
}

const patternNames = ['repository', 'workflow', 'label'] as const;
const maxOwnerLength = 100;
const maxPatternLength = 255;

/** Files and commands pass input that no request schema has checked. */
export function readMapping(input: RuleInput): Mapping {
  const { kind, valid_from: validFrom = null, valid_until: validUntil = null } = input;
  const owner = input.owner?.trim();
  if (kind === undefined) throw invalid('kind', 'is required');
  if (!ownerKinds.includes(kind)) throw invalid('kind', `must be ${ownerKinds.join(' or ')}`);
  if (owner === undefined) throw invalid('owner', 'is required');
  const fault = faultOfName(owner);
  if (fault) throw invalid('owner', fault);
  if (isUnowned(owner))
    throw invalid('owner', `must not be ${unowned}: that is the name of costs without an owner`);
  requireLength(owner, maxOwnerLength, 'owner');
  const [repository, workflow, label] = patternNames.map((name) =>
    readPattern(input[name] ?? null, name),
  ) as [string | null, string | null, string | null];
  if (repository === null && workflow === null && label === null)
    throw invalid('repository', 'is required, unless there is a workflow or a label');
  if (validFrom !== null && validUntil !== null && validUntil < validFrom)
    throw invalid('valid_until', 'must not be before valid_from');
  return { kind, owner, repository, workflow, label, validFrom, validUntil };
}

function readPattern(pattern: string | null, field: string): string | null {
  if (pattern === null) return null;
  const fault = faultOfName(pattern);
  if (fault) throw invalid(field, fault);
  requireLength(pattern, maxPatternLength, field);
  if (pattern.startsWith('!'))
    throw invalid(field, 'must not begin with !. Add a rule for the exception before this one');
  return pattern.trim();
}
