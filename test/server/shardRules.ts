import { findFanOut, isQuery, parse, type Tree } from './fanOut.ts';

type Catalog = { ownedTables: ReadonlySet<string>; volatileFunctions: ReadonlySet<string> };

/** What a database that distributes tables by `org_id` refuses in a query, whichever organization it asks for. */
const rules: Record<string, (query: Query, catalog: Catalog) => boolean> = {
  'a subquery in RETURNING': ({ body }) =>
    contains(body.returningClause?.exprs ?? body.returningList, isSubquery),
  'a volatile function in a change': ({ kind, body }, { volatileFunctions }) => {
    const { fromClause: _, ...change } = body;
    const changed = { UpdateStmt: change, DeleteStmt: change, InsertStmt: body.onConflictClause }[kind];
    return contains(changed, (node) => volatileFunctions.has(node.FuncCall?.funcname.at(-1).String.sval));
  },
  'a change of org_id': ({ kind, body }) => {
    const changes = kind === 'UpdateStmt' ? body.targetList : body.onConflictClause?.targetList;
    return changes?.some((set: Tree) => set.ResTarget.name === 'org_id');
  },
  'a lock in INSERT … SELECT': ({ kind, body }) =>
    kind === 'InsertStmt' && contains(body.selectStmt, (node) => node.LockingClause),
  'a subquery among the columns of INSERT … SELECT': ({ kind, body }) =>
    kind === 'InsertStmt' && contains(body.selectStmt?.SelectStmt.targetList, isSubquery),
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
