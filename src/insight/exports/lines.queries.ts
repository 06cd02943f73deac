import { type RawBuilder, sql } from 'kysely';
import type { Acted, ActorKinds } from '../../ledger/actors/actorKinds.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Column, ColumnKind } from './columns.ts';
import { type Cursor, type ExportScope, jobsAfter, runsAfter } from './rows.queries.ts';

/** Lines of a CSV file, the same as `formats.ts` would write. */
type Lines = { text: string; rows: number; cursor: Cursor | null };

/** Ordered rows with the columns of the file, except those for which `sources` has an expression. */
export type LineSource = {
  rows: Sql;
  /** The sort columns, most significant first. */
  place: readonly string[];
  sources: Readonly<Record<string, Sql>>;
};

export function jobLines(scope: ExportScope, after: Cursor | null, limit: number): LineSource {
  return {
    rows: jobsAfter(scope, after, limit),
    place: ['completed_at', 'run_id', 'attempt', 'job_id'],
    sources: { ...commonSources, seconds: ranNanos },
  };
}

export function runLines(scope: ExportScope, after: Cursor | null, limit: number): LineSource {
  return {
    rows: runsAfter(scope, after, limit),
    place: ['created_at', 'id'],
    sources: { ...commonSources, run_id: sql.ref('id') },
  };
}

type Sql = RawBuilder<unknown>;

const commonSources: Record<string, Sql> = {
  repo_name: sql.ref('repository'),
  price_per_minute: sql.ref('nanos_per_minute'),
  cost: sql.ref('cost_nanos'),
};

const ranNanos = sql`greatest(0, 1000000000 * extract(
  epoch from date_trunc('milliseconds', completed_at) - date_trunc('milliseconds', started_at)
))`;

type Line = Acted & { line: string; cursor: Cursor | null };

/** Builds the lines in the database but for their last cell. Transferring all columns would take three times as long. */
export async function findLines(
  db: Database,
  { rows, place, sources }: LineSource,
  columns: readonly Column[],
  actorKinds: ActorKinds,
): Promise<Lines> {
  const cells = columns.slice(0, -1).map(({ name, kind }) => textOf[kind](sources[name] ?? sql.ref(name)));
  const parts = place.map((name) => sql.ref(name));
  const inOrder = sql`order by ${sql.join(parts)}`;
  const found = await sql<Line>`
    with page as (${rows})
    select concat(${sql.join(cells, sql`, ',', `)}) as line, actor, started_by, event, workflow_path,
      case when lead(true) over (${inOrder}) is null
        then array[${sql.join(parts.map((part) => sql`${part}::text`))}] end as cursor
    from page ${inOrder}
  `.execute(db);
  const lines = found.rows.map((row) => `${row.line},${actorKinds.of(row) ?? ''}\r\n`);
  return { text: lines.join(''), rows: lines.length, cursor: found.rows.at(-1)?.cursor ?? null };
}

const textOf: Record<ColumnKind, (cell: Sql) => Sql> = {
  text: harmlessCell,
  integer: (cell) => cell,
  decimal: (cell) => sql`trim_scale(${cell} * 0.000000001)`,
  instant: (cell) => sql`to_char(${cell} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  second: (cell) => sql`to_char(${cell} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`,
  day: (cell) => cell,
  boolean: (cell) => sql`case when ${cell} then 'true' when not ${cell} then 'false' end`,
  // Each text in it is quoted.
  list: (cell) =>
    sql`case when ${cell} = '{}' then '[]' else ${inQuotes(sql`array_to_json(${cell})::text`)} end`,
  object: (cell) => harmlessCell(sql`${cell}::text`),
};

/** Follows `lib/csv.ts`. Most cells need neither quotes nor an apostrophe. */
function harmlessCell(cell: Sql): Sql {
  return sql`case
    when ${cell} !~ '[",;\\t\\r\\n]|^[=+\\-@\\uFF1D\\uFF0B\\uFF0D\\uFF20]' then ${cell}
    when ${cell} ~ '[",;\\t\\r\\n]' then ${inQuotes(cell)}
    else '''' || ${cell}
  end`;
}

function inQuotes(cell: Sql): Sql {
  const within = sql`
    regexp_replace(${cell}, '([;\\t\\r\\n])(?="*[=+\\-@\\uFF1D\\uFF0B\\uFF0D\\uFF20])', '\\1''', 'g')`;
  return sql`'"' || replace(
    regexp_replace(${within}, '^(?=[=+\\-@\\t\\r\\n\\uFF1D\\uFF0B\\uFF0D\\uFF20])', ''''), '"', '""'
  ) || '"'`;
}
