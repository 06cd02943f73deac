import { findFanOut, isQuery, parse, type Tree } from './fanOut.ts';

type Catalog = {
  ownedTables: ReadonlySet<string>;
  volatileFunctions: ReadonlySet<string>;
  /** Among them volatile ones. */
  changingFunctions: ReadonlySet<string>;
};

/** What a database that distributes tables by `org_id` refuses in a query, whichever organization it asks for. */
const rules: Record<string, (query: Query, catalog: Catalog) => boolean> = {
  'a subquery in RETURNING': ({ body }) =>
    contains(body.returningClause?.exprs ?? body.returningList, isSubquery),
  'a volatile function in a change': ({ kind, body }, { volatileFunctions }) => {
    const { fromClause: _, ...change } = body;
    return contains({ UpdateStmt: change, DeleteStmt: change }[kind], (node) =>
      calls(node, volatileFunctions),
    );
  },
  'a function in ON CONFLICT whose result can change': ({ body }, { changingFunctions }) =>
    contains(body.onConflictClause, (node) => calls(node, changingFunctions) || movesInZone(node)),
  // Its servers get `when (kind = 'a')`, which compares the value with a boolean.
  'a CASE of a value in a change': ({ kind, body }) =>
    kind !== 'SelectStmt' && contains(body, (node) => node.CaseExpr?.arg),
  'a join on false': ({ body }) =>
    contains(body.fromClause, (node) => contains(node.JoinExpr?.quals, isFalse)),
  'a subquery that compares a row with rows of another organization': ({ body }, { ownedTables }) =>
    contains(body, (node) => node.SubLink && asksOthers(node.SubLink.subselect, ownedTables)),
  'a change of org_id': ({ kind, body }) => {
    const changes = kind === 'UpdateStmt' ? body.targetList : body.onConflictClause?.targetList;
    return changes?.some((set: Tree) => set.ResTarget.name === 'org_id');
  },
  'a lock in INSERT … SELECT': ({ kind, body }) =>
    kind === 'InsertStmt' && contains(body.selectStmt, (node) => node.LockingClause),
  'a subquery among the columns of INSERT … SELECT': ({ kind, body }) =>
    kind === 'InsertStmt' && contains(body.selectStmt?.SelectStmt.targetList, isSubquery),
  // It works, but the coordinator inserts the rows, and errors lose their codes.
  'an INSERT … SELECT of rows alone': ({ kind, body }, { ownedTables }) =>
    kind === 'InsertStmt' &&
    body.selectStmt &&
    !body.selectStmt.SelectStmt.valuesLists &&
    ownedTables.has(body.relation.relname) &&
    !contains(body.selectStmt.SelectStmt.fromClause, (node) => ownedTables.has(node.RangeVar?.relname)),
  'a lock without org_id': ({ tree, body }, { ownedTables }) =>
    body.lockingClause && findFanOut(tree, ownedTables).length > 0,
  'a recursive query over organizations': ({ tree, body }, { ownedTables }) =>
    body.withClause?.recursive && findFanOut(tree, ownedTables).length > 0,
};

type Query = { kind: string; tree: Tree; body: Tree };

/** The rules that a statement breaks. */
export function findRefusals(statement: string, catalog: Catalog): string[] {
  const queries = parse(statement).flatMap(queriesIn);
  return Object.keys(rules).filter((rule) => queries.some((query) => rules[rule]!(query, catalog)));
}

function queriesIn(tree: Tree): Query[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const inner = Object.values(tree).flatMap(queriesIn);
  if (!isQuery(tree)) return inner;
  const [kind] = Object.keys(tree);
  return [{ kind: kind!, tree, body: tree[kind!] }, ...inner];
}

function contains(tree: Tree, isWanted: (node: Tree) => unknown): boolean {
  if (typeof tree !== 'object' || tree === null) return false;
  return Boolean(isWanted(tree)) || Object.values(tree).some((part) => contains(part, isWanted));
}

const isSubquery = (node: Tree) => node.SubLink;

const calls = (node: Tree, functions: ReadonlySet<string>) =>
  functions.has(node?.FuncCall?.funcname.at(-1).String.sval);

/** A time plus an interval depends on the time zone of the session, unless it is `at time zone` of another. */
const movesInZone = ({ A_Expr: sum }: Tree) =>
  [sum?.lexpr, sum?.rexpr].some(isInterval) && !calls(sum.lexpr, inZone) && !calls(sum.rexpr, inZone);

const inZone = new Set(['timezone']);

const isInterval = (node: Tree) => node?.TypeCast?.typeName.names.at(-1).String.sval === 'interval';

const isFalse = ({ A_Const: constant }: Tree) => constant?.boolval && !constant.boolval.boolval;

/** Whether it reads rows by a column of the query around it, but not those of the same organization. */
function asksOthers(subquery: Tree, ownedTables: ReadonlySet<string>): boolean {
  const { fromClause = [], whereClause } = subquery.SelectStmt ?? {};
  const tables = fromClause.map((item: Tree) => item.RangeVar).filter(Boolean);
  if (!tables.some((table: Tree) => ownedTables.has(table.relname))) return false;
  const names = tables.map((table: Tree) => table.alias?.aliasname ?? table.relname);
  const isOfOuter = (node: Tree) => node.ColumnRef?.fields.length > 1 && !names.includes(nameIn(node, 0));
  return contains(whereClause, isOfOuter) && !contains(whereClause, isSameOrganization);
}

const nameIn = (node: Tree, place: number) => node?.ColumnRef?.fields.at(place).String?.sval;

function isSameOrganization({ A_Expr: comparison }: Tree): boolean {
  const sides = [comparison?.lexpr, comparison?.rexpr].map((side) => nameIn(side, -1));
  return sides.includes('org_id') && sides.every((name) => name === undefined || name === 'org_id');
}
