import { loadModule, parseSync } from 'libpg-query';

await loadModule();

/** A part of PostgreSQL's parse tree. https://github.com/pganalyze/libpg_query/blob/18.0.0/protobuf/pg_query.proto */
// oxlint-disable-next-line typescript/no-explicit-any -- the tree has 250 kinds of nodes
export type Tree = any;

/** What a query reads from or writes to. */
type Source = {
  name: string;
  /** The table, if it belongs to organizations. */
  table: string | null;
  isBound: boolean;
  /** Tables of the same query with the same org_id. */
  equals: Source[];
};

type Reading = { ownedTables: ReadonlySet<string>; faults: string[] };

/**
 * The tables of organizations that a statement reads or writes without saying which organization: their `org_id` neither
 * equals a parameter, nor the `org_id` of a table of the same query that does. A distributed database would ask all of
 * its servers: it does not follow an `org_id` through subqueries.
 */
export function findFanOut(query: Tree, ownedTables: ReadonlySet<string>): string[] {
  if (!isQuery(query)) return tablesOfCommand(query).filter((table) => ownedTables.has(table));
  const faults: string[] = [];
  readQuery(query, { ownedTables, faults });
  return [...new Set(faults)];
}

/** The queries and commands of a text. */
export function parse(text: string): Tree[] {
  return ((parseSync(text) as Tree).stmts ?? []).map(({ stmt }: Tree) => stmt.ExplainStmt?.query ?? stmt);
}

const queryKinds = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt'];

export function isQuery(tree: Tree): boolean {
  return queryKinds.some((kind) => kind in tree);
}

function readQuery(tree: Tree, reading: Reading, outerNames: readonly string[] = []): void {
  const [kind] = Object.keys(tree);
  const query = tree[kind!];
  const ctes = (query.withClause?.ctes ?? []).map(({ CommonTableExpr: cte }: Tree) => cte);
  const names = [...outerNames, ...ctes.map((cte: Tree) => cte.ctename)];
  for (const cte of ctes) readQuery(cte.ctequery, reading, names);
  if (query.op && query.op !== 'SETOP_NONE') {
    for (const side of [query.larg, query.rarg]) readQuery({ SelectStmt: side }, reading, names);
    return;
  }
  const owned = new Set([...reading.ownedTables].filter((table) => !names.includes(table)));
  const sources = sourcesOf(query, owned);
  if (kind === 'InsertStmt') readInsert(query, sources, owned);
  for (const { table, isBound } of sources) if (table && !isBound) reading.faults.push(table);
  const { withClause: _, ...rest } = query;
  readSubqueries(rest, reading, names);
}

function sourcesOf(query: Tree, owned: ReadonlySet<string>): Source[] {
  const sources: Source[] = [];
  const conditions: Tree[] = [query.whereClause];
  const from = [...(query.fromClause ?? []), ...(query.usingClause ?? [])];
  if (query.relation) from.push({ RangeVar: query.relation });
  for (const item of from) readFrom(item, { sources, conditions, owned });
  for (const condition of conditions) readCondition(condition, sources);
  return sources;
}

type FromReading = { sources: Source[]; conditions: Tree[]; owned: ReadonlySet<string> };

/** Returns the tables of organizations. */
function readFrom(item: Tree, context: FromReading): Source[] {
  if (item.JoinExpr) {
    const { larg, rarg, quals, usingClause } = item.JoinExpr;
    const [left, right] = [larg, rarg].map((side) => readFrom(side, context));
    const joinsOrganization = usingClause?.some((column: Tree) => column.String.sval === 'org_id');
    if (joinsOrganization && left![0] && right![0]) equate(left![0], right![0]);
    if (quals) context.conditions.push(quals);
    return [...left!, ...right!];
  }
  const [{ relname, alias }] = Object.values<Tree>(item) as [Tree];
  const table = context.owned.has(relname) ? relname : null;
  const source: Source = { name: alias?.aliasname ?? relname ?? '', table, isBound: false, equals: [] };
  context.sources.push(source);
  return table ? [source] : [];
}

function readCondition(tree: Tree, sources: Source[]): void {
  if (tree?.BoolExpr?.boolop === 'AND_EXPR') {
    for (const each of tree.BoolExpr.args) readCondition(each, sources);
  } else if (tree?.A_Expr?.kind === 'AEXPR_OP' && tree.A_Expr.name[0].String.sval === '=') {
    const { lexpr, rexpr } = tree.A_Expr;
    const [left, right] = [lexpr, rexpr].map((side) => side.RowExpr?.args ?? [side]);
    left.forEach((each: Tree, index: number) => readEquality(each, right[index], sources));
  }
}

function readEquality(left: Tree, right: Tree, sources: Source[]): void {
  const [a, b] = [left, right].map((side) => sourceOf(side, sources));
  if (a && b) equate(a, b);
  else if (a && isValue(right)) bind(a);
  else if (b && isValue(left)) bind(b);
}

function equate(a: Source, b: Source): void {
  a.equals.push(b);
  b.equals.push(a);
  if (a.isBound) bind(b);
  if (b.isBound) bind(a);
}

function bind(source: Source): void {
  if (source.isBound) return;
  source.isBound = true;
  source.equals.forEach(bind);
}

/** The table of this query whose org_id the expression is. */
function sourceOf(tree: Tree, sources: Source[]): Source | undefined {
  const fields = tree?.ColumnRef?.fields.map((field: Tree) => field.String?.sval);
  if (fields?.at(-1) !== 'org_id') return undefined;
  return sources.find(({ name, table }) => table && (fields.length === 1 || name === fields.at(-2)));
}

function isValue(tree: Tree): boolean {
  if (tree?.TypeCast) return isValue(tree.TypeCast.arg);
  return Boolean(tree?.ParamRef ?? tree?.A_Const);
}

/** The organization of inserted rows is a value, or that of a table which the query reads for one. */
function readInsert({ cols, selectStmt }: Tree, sources: Source[], owned: ReadonlySet<string>): void {
  const at = cols?.findIndex(({ ResTarget: column }: Tree) => column.name === 'org_id') ?? 0;
  if (!selectStmt) return; // default values
  const { valuesLists, targetList } = selectStmt.SelectStmt;
  const rows = valuesLists?.map(({ List: row }: Tree) => row.items) ?? [
    targetList?.map(({ ResTarget: column }: Tree) => column.val) ?? [],
  ];
  const read = sourcesOf(selectStmt.SelectStmt, owned);
  const isOne = (value: Tree) => isValue(value) || sourceOf(value, read)?.isBound;
  if (rows.every((row: Tree[]) => isOne(row[at]))) sources.forEach(bind);
}

function readSubqueries(tree: Tree, reading: Reading, names: readonly string[]): void {
  if (typeof tree !== 'object' || tree === null) return;
  if (isQuery(tree)) readQuery(tree, reading, names);
  else for (const part of Object.values(tree)) readSubqueries(part, reading, names);
}

/** A command such as `lock table` or `copy` works on whole tables. */
function tablesOfCommand(tree: Tree): string[] {
  if (typeof tree !== 'object' || tree === null) return [];
  if (typeof tree.relname === 'string') return [tree.relname];
  return Object.values<Tree>(tree).flatMap(tablesOfCommand);
}
