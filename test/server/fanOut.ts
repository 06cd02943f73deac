import { loadModule, parseSync } from 'libpg-query';

await loadModule();

/** A part of PostgreSQL's parse tree. https://github.com/pganalyze/libpg_query/blob/18.0.0/protobuf/pg_query.proto */
// oxlint-disable-next-line typescript/no-explicit-any -- the tree has 250 kinds of nodes
type Tree = any;

/** A table, or a subquery in its place, whose rows may belong to one organization. */
type Source = {
  name: string;
  /** The table, if it belongs to organizations. */
  table: string | null;
  /** Whether it has a column org_id. */
  isOwned: boolean;
  isBound: boolean;
  /** Sources with the same org_id. */
  equals: Source[];
};

/** The sources of a query, and around them those of the queries that contain it. */
type Scope = { sources: Source[]; outer: Scope | null; queries: Map<string, boolean> };

/**
 * The tables of organizations that a statement reads or writes without saying which organization: their `org_id` neither
 * equals a parameter, nor the `org_id` of a table that does. A distributed database would ask all of its servers.
 */
export function findFanOut(statement: string, ownedTables: ReadonlySet<string>): string[] {
  const faults: string[] = [];
  for (const { stmt } of (parseSync(statement) as Tree).stmts ?? []) {
    const query = stmt.ExplainStmt?.query ?? stmt;
    if (isQuery(query)) readQuery(query, { outer: null, queries: new Map(), ownedTables, faults });
    else faults.push(...tablesOfCommand(stmt).filter((table) => ownedTables.has(table)));
  }
  return [...new Set(faults)];
}

type Reading = {
  outer: Scope | null;
  /** For each named subquery in scope, whether it returns rows of one organization. */
  queries: Map<string, boolean>;
  ownedTables: ReadonlySet<string>;
  faults: string[];
};

const queryKinds = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt'];

function isQuery(tree: Tree): boolean {
  return queryKinds.some((kind) => kind in tree);
}

/** For each returned column, whether it is the organization that the query asks for. */
type Returned = { name: string; isBound: boolean }[];

function readQuery(tree: Tree, reading: Reading): Returned {
  const [kind] = Object.keys(tree);
  const query = tree[kind!];
  const queries = new Map(reading.queries);
  const inner = { ...reading, queries };
  for (const { CommonTableExpr: cte } of query.withClause?.ctes ?? []) {
    if (query.withClause.recursive) queries.set(cte.ctename, true);
    queries.set(cte.ctename, returnsOrganization(readQuery(cte.ctequery, inner)));
  }
  if (query.op && query.op !== 'SETOP_NONE') {
    const [left, right] = [query.larg, query.rarg].map((side) => readQuery({ SelectStmt: side }, inner));
    return left!.map(({ name, isBound }, index) => ({ name, isBound: isBound && right![index]!.isBound }));
  }
  const scope: Scope = { sources: [], outer: reading.outer, queries };
  const lateral: [Tree, Source][] = [];
  const conditions: Tree[] = [];
  const from = [...(query.fromClause ?? []), ...(query.usingClause ?? [])];
  if (query.relation) from.push({ RangeVar: query.relation });
  for (const item of from) readFrom(item, { scope, lateral, conditions, reading: inner });
  conditions.push(query.whereClause);
  if (kind !== 'InsertStmt') for (const condition of conditions) readCondition(condition, scope);
  for (const [subquery, source] of lateral) {
    if (returnsOrganization(readQuery(subquery, { ...inner, outer: scope }))) bind(source);
  }
  if (kind === 'InsertStmt') readInsert(query, scope, inner);
  for (const { table, isBound } of scope.sources) if (table && !isBound) reading.faults.push(table);
  const rest = [query.targetList, query.valuesLists, query.havingClause, query.sortClause, query.groupClause];
  const ends = [query.limitCount, query.limitOffset, query.returningList ?? query.returningClause];
  const conflict = query.onConflictClause && { ...query.onConflictClause, infer: null };
  readSubqueries([...conditions, ...rest, ...ends, query.distinctClause, conflict], {
    ...inner,
    outer: scope,
  });
  const returning = query.returningClause?.exprs ?? query.returningList;
  return returned(
    kind === 'SelectStmt' ? (query.targetList ?? query.valuesLists?.[0]?.List.items) : returning,
    scope,
  );
}

function returnsOrganization(columns: Returned): boolean {
  return columns.some(({ name, isBound }) => name === 'org_id' && isBound);
}

type FromReading = { scope: Scope; lateral: [Tree, Source][]; conditions: Tree[]; reading: Reading };

function readFrom(item: Tree, context: FromReading): Source[] {
  const { scope, lateral, conditions, reading } = context;
  const add = (source: Omit<Source, 'equals'>) => {
    const added = { ...source, equals: [] };
    scope.sources.push(added);
    return [added];
  };
  if (item.RangeVar) {
    const { relname, alias } = item.RangeVar;
    const name = alias?.aliasname ?? relname;
    const query = scope.queries.get(relname);
    if (query !== undefined) return add({ name, table: null, isOwned: true, isBound: query });
    const isOwned = reading.ownedTables.has(relname);
    return add({ name, table: isOwned ? relname : null, isOwned, isBound: false });
  }
  if (item.RangeSubselect) {
    const { subquery, alias, lateral: isLateral } = item.RangeSubselect;
    const [source] = add({ name: alias?.aliasname ?? '', table: null, isOwned: true, isBound: false });
    if (isLateral) lateral.push([subquery, source!]);
    else if (returnsOrganization(readQuery(subquery, reading))) source!.isBound = true;
    return [source!];
  }
  if (item.JoinExpr) {
    const { larg, rarg, quals, usingClause } = item.JoinExpr;
    const [left, right] = [larg, rarg].map((side) => readFrom(side, context).find(({ isOwned }) => isOwned));
    const joinsOrganization = usingClause?.some((column: Tree) => column.String.sval === 'org_id');
    if (joinsOrganization && left && right) equate(left, right);
    if (quals) conditions.push(quals);
    return [left, right].filter((side) => side !== undefined);
  }
  const name = Object.values<Tree>(item)[0]?.alias?.aliasname;
  return name ? add({ name, table: null, isOwned: false, isBound: false }) : [];
}

function readCondition(tree: Tree, scope: Scope): void {
  if (tree?.BoolExpr?.boolop === 'AND_EXPR') {
    for (const each of tree.BoolExpr.args) readCondition(each, scope);
  } else if (tree?.A_Expr?.kind === 'AEXPR_OP' && tree.A_Expr.name[0].String.sval === '=') {
    const { lexpr, rexpr } = tree.A_Expr;
    const [left, right] = [lexpr, rexpr].map((side) => side.RowExpr?.args ?? [side]);
    left.forEach((each: Tree, index: number) => readEquality(each, right[index], scope));
  }
}

function readEquality(left: Tree, right: Tree, scope: Scope): void {
  const [a, b] = [left, right].map((side) => sourceOf(side, { ...scope, outer: null }));
  if (a && b) equate(a, b);
  else if (a && isOrganization(right, scope)) bind(a);
  else if (b && isOrganization(left, scope)) bind(b);
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

/** The source whose org_id the expression is. */
function sourceOf(tree: Tree, scope: Scope | null): Source | undefined {
  const fields = tree?.ColumnRef?.fields.map((field: Tree) => field.String?.sval);
  if (fields?.at(-1) !== 'org_id') return undefined;
  for (let at = scope; at; at = at.outer) {
    const found = at.sources.find(({ name, isOwned }) =>
      fields.length > 1 ? name === fields.at(-2) : isOwned,
    );
    if (found) return found;
  }
  return undefined;
}

function isValue(tree: Tree): boolean {
  if (tree?.TypeCast) return isValue(tree.TypeCast.arg);
  return Boolean(tree?.ParamRef ?? tree?.A_Const);
}

function isOrganization(tree: Tree, scope: Scope): boolean {
  return isValue(tree) || Boolean(sourceOf(tree?.TypeCast?.arg ?? tree, scope)?.isBound);
}

/** The organization of an inserted row is in the statement's values, or in a column of its query. */
function readInsert(insert: Tree, scope: Scope, reading: Reading): void {
  const at = insert.cols?.findIndex(({ ResTarget: column }: Tree) => column.name === 'org_id') ?? 0;
  if (!insert.selectStmt) return; // default values
  const { valuesLists } = insert.selectStmt.SelectStmt;
  const isBound = valuesLists
    ? valuesLists.every(({ List: row }: Tree) => isValue(row.items[at]))
    : readQuery(insert.selectStmt, reading)[at]?.isBound;
  if (isBound) scope.sources.forEach(bind);
  if (valuesLists) readSubqueries(valuesLists, { ...reading, outer: scope });
}

function readSubqueries(tree: Tree, reading: Reading): void {
  if (typeof tree !== 'object' || tree === null) return;
  if (isQuery(tree)) readQuery(tree, reading);
  else for (const part of Object.values(tree)) readSubqueries(part, reading);
}

function returned(targets: Tree[] | undefined, scope: Scope): Returned {
  return (targets ?? []).flatMap((target) => {
    const value = target.ResTarget?.val ?? target;
    const fields = value.ColumnRef?.fields;
    if (fields?.at(-1).A_Star) {
      const sources = scope.sources.filter(
        ({ name }) => fields.length === 1 || name === fields[0].String.sval,
      );
      return sources.filter(({ isOwned }) => isOwned).map(({ isBound }) => ({ name: 'org_id', isBound }));
    }
    const name = target.ResTarget?.name ?? fields?.at(-1).String.sval ?? '';
    return [{ name, isBound: isOrganization(value, scope) }];
  });
}

/** A command such as `lock table` or `copy` works on whole tables. */
function tablesOfCommand(tree: Tree): string[] {
  if (typeof tree !== 'object' || tree === null) return [];
  if (typeof tree.relname === 'string') return [tree.relname];
  return Object.values<Tree>(tree).flatMap(tablesOfCommand);
}
