import type { Context } from '../../context.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { csvLine, harmless } from '../../platform/lib/csv.ts';
import { csvLinesOf, faultyLines, withoutApostrophes, type CsvLine } from '../../platform/lib/csvLines.ts';
import { isDay } from '../../platform/lib/days.ts';
import { invalidAt, InvalidFields, PublicError, type FieldError } from '../../platform/lib/errors.ts';
import { nearestOf } from '../../platform/lib/text.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import type { Mapping } from './owners.ts';
import { findRules, type RuleRow } from './queries.ts';
import { findUseless, inputOf, lockRules, newRow, readMapping, replaceOwn, type RuleInput } from './rules.ts';

const columns = ['kind', 'owner', 'repository', 'workflow', 'label', 'valid_from', 'valid_until'] as const;
type Column = (typeof columns)[number];

export async function exportRules({ db, actor }: Pick<Context, 'db' | 'actor'>): Promise<string> {
  const own = (await findRules(db, actor.orgId)).filter(({ source }) => source === 'manual');
  return fileOf(own);
}

function fileOf(mappings: readonly Mapping[]): string {
  const lines = mappings.map((mapping) => {
    const input = inputOf(mapping);
    return columns.map((column) => harmless(input[column] ?? ''));
  });
  return [[...columns], ...lines].map(csvLine).join('');
}

export type Imported = {
  isDryRun: boolean;
  added: RuleRow[];
  removed: RuleRow[];
  unchanged: number;
  isReordered: boolean;
};

/** Replaces the rules that people wrote by those of the file. Rules that stay the same keep their ids. */
export async function importRules(
  ctx: Context,
  text: string,
  { dryRun, removeAll }: { dryRun: boolean; removeAll: boolean },
): Promise<Imported> {
  const mappings = readFile(text);
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const rules = await lockRules(tx, ctx.actor.orgId);
    if (mappings.length === 0 && rules.own.length > 0 && !removeAll && !dryRun) {
      const count = rules.own.length === 1 ? 'the only rule' : `all ${rules.own.length} rules`;
      throw invalidAt('line 1', `is the only line, which would remove ${count}: confirm it with remove_all`);
    }
    const known = new Map(rules.own.map((row) => [JSON.stringify(inputOf(row)), row]));
    const own = mappings.map(
      (mapping) => known.get(JSON.stringify(inputOf(mapping))) ?? newRow(mapping, now),
    );
    const [before, after] = [new Set(rules.own), new Set(own)];
    const kept = own.filter((row) => before.has(row));
    const imported = {
      isDryRun: dryRun,
      added: own.filter((row) => !before.has(row)),
      removed: rules.own.filter((row) => !after.has(row)),
      unchanged: kept.length,
      isReordered: kept.some((row, index) => index > 0 && row.position < kept[index - 1]!.position),
    };
    const { added, removed, isReordered } = imported;
    if (dryRun || (added.length === 0 && removed.length === 0 && !isReordered)) return imported;
    await replaceOwn(tx, ctx, rules, own);
    await recordAudit(tx, ctx, 'ownership.import', ctx.actor.orgId, {
      added: added.length,
      removed: removed.length,
      unchanged: kept.length,
      ...(isReordered && { is_reordered: true }),
    });
    return imported;
  });
}

function readFile(text: string): Mapping[] {
  const [heading, ...lines] = csvLinesOf(text);
  if (!heading) throw invalidAt('line 1', `must be a heading with the columns ${columns.join(', ')}`);
  const places = readHeading(heading);
  const errors: FieldError[] = [];
  const mappings: Mapping[] = [];
  for (const line of lines) {
    try {
      mappings.push(readLine(line, places));
    } catch (error) {
      if (!(error instanceof PublicError)) throw error;
      const inLine = (field: string) => `line ${line.number}, ${field}`;
      errors.push(...(error instanceof InvalidFields ? error.named(inLine) : error).errors);
    }
  }
  if (errors.length > 0) throw faultyLines(errors);
  const useless = findUseless(mappings);
  if (useless) {
    const [line, first] = [lines[useless.index]!.number, lines[useless.first]!.number];
    const advice = 'End that one with valid_until, or put it after this one';
    throw invalidAt(
      `line ${line}`,
      `would never apply: line ${first} has the same patterns and maps them to ${useless.owner} on all its days. ${advice}`,
    );
  }
  return mappings;
}

function readHeading({ number, cells }: CsvLine): Map<Column, number> {
  const line = `line ${number}`;
  const places = new Map<Column, number>();
  for (const [index, cell] of cells.entries()) {
    const name = cell.toLowerCase() as Column;
    if (!columns.includes(name)) {
      const nearest = nearestOf(name, columns);
      const known = nearest ? `did you mean ${nearest}?` : `the columns are ${columns.join(', ')}`;
      throw invalidAt(line, `has a column "${cell.slice(0, 100)}" that nobody knows; ${known}`);
    }
    if (places.has(name)) throw invalidAt(line, `has the column ${name} twice`);
    places.set(name, index);
  }
  for (const name of ['kind', 'owner'] as const)
    if (!places.has(name)) throw invalidAt(line, `lacks the column ${name}`);
  return places;
}

function readLine({ number, cells }: CsvLine, places: ReadonlyMap<Column, number>): Mapping {
  const line = `line ${number}`;
  if (cells.length !== places.size)
    throw invalidAt(line, `has ${cells.length} cells, and the heading has ${places.size} columns`);
  const input: Record<string, string | undefined> = {};
  for (const [column, place] of places) input[column] = withoutApostrophes(cells[place]!) || undefined;
  for (const column of ['valid_from', 'valid_until'])
    if (input[column] && !isDay(input[column]))
      throw invalidAt(`${line}, ${column}`, 'must be a day such as 2026-01-31');
  return readMapping(input as RuleInput);
}

const maxChanges = 100;

export function importView({ isDryRun, added, removed, unchanged, isReordered }: Imported) {
  const change = (name: 'add' | 'remove') => (row: RuleRow) => ({ ...apiFields(row), change: name });
  return {
    dry_run: isDryRun,
    rules: added.length + unchanged,
    added: added.length,
    removed: removed.length,
    unchanged,
    is_reordered: isReordered,
    changes: [...removed.map(change('remove')), ...added.map(change('add'))].slice(0, maxChanges),
  };
}
