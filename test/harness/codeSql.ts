import type {
  CallExpression,
  Expression,
  Node,
  NoSubstitutionTemplateLiteral,
  SourceFile,
  StringLiteral,
  TaggedTemplateExpression,
  TypeAliasDeclaration,
} from 'typescript/unstable/ast';
import * as is from 'typescript/unstable/ast/is';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { API, type Checker } from 'typescript/unstable/sync';
import { tablesIn, type Access, type Hole, type Used } from './sqlTables.ts';

type FileSql = {
  /** Tables that a `…Tables` type in the file declares. */
  declared: string[];
  uses: Used[];
  /** Names of subqueries. They hide tables with the same name. */
  ctes: string[];
  /** Code that chooses its table at run time. */
  dynamic: string[];
};

/** The tables that each file declares, reads and writes in Kysely calls and `sql` templates, in snake_case. */
export function readCodeSql(files: Record<string, string>): Map<string, FileSql> {
  const names = Object.keys(files);
  const config = {
    compilerOptions: {
      noLib: true,
      types: [],
      strict: true,
      module: 'nodenext',
      allowImportingTsExtensions: true,
    },
    files: names,
  };
  const inMemory = Object.entries(files).map(([name, text]) => [`/code/${name}`, text]);
  const api = new API({
    cwd: '/code',
    fs: createVirtualFileSystem({
      ...Object.fromEntries(inMemory),
      '/code/tsconfig.json': JSON.stringify(config),
    }),
  });
  try {
    const snapshot = api.updateSnapshot({ openProjects: ['/code/tsconfig.json'] });
    const { program, checker } = snapshot.getProject('/code/tsconfig.json')!;
    return new Map(names.map((name) => [name, readFile(program.getSourceFile(`/code/${name}`)!, checker)]));
  } finally {
    api.close();
  }
}

function readFile(source: SourceFile, checker: Checker): FileSql {
  const file: FileSql = { declared: [], uses: [], ctes: [], dynamic: [] };
  const visit = (node: Node): void => {
    if (is.isTypeAliasDeclaration(node)) file.declared.push(...declaredIn(node));
    if (is.isTaggedTemplateExpression(node) && is.isIdentifier(node.tag) && node.tag.text === 'sql') {
      readTemplate(node, { file, checker });
    }
    if (is.isCallExpression(node)) readCall(node, { file, checker });
    node.forEachChild(visit);
  };
  source.forEachChild(visit);
  return file;
}

function declaredIn({ name, type }: TypeAliasDeclaration): string[] {
  if (!name.text.endsWith('Tables') || !is.isTypeLiteralNode(type)) return [];
  return type.members.flatMap((member) =>
    is.isPropertySignatureDeclaration(member) && is.isIdentifier(member.name)
      ? [snakeCase(member.name.text)]
      : [],
  );
}

type Reading = { file: FileSql; checker: Checker };

function readTemplate({ template }: TaggedTemplateExpression, { file, checker }: Reading): void {
  const spans = is.isTemplateExpression(template) ? template.templateSpans : [];
  const start = is.isTemplateExpression(template) ? template.head : template;
  const texts = [start, ...spans.map(({ literal }) => literal)].map(({ text }) => text);
  const { uses, ctes } = tablesIn(
    texts,
    spans.map(({ expression }) => holeOf(expression, checker)),
  );
  file.uses.push(...uses);
  file.ctes.push(...ctes);
}

/** Everything except `sql.table` is a value, or a fragment with its own template. */
function holeOf(expression: Expression, checker: Checker): Hole {
  if (!is.isCallExpression(expression) || methodOf(expression) !== 'sql.table') return 'piece';
  const [argument] = expression.arguments;
  const names = argument ? namesOf(argument, checker) : 'dynamic';
  return names === 'dynamic' ? 'piece' : { tables: names.map(snakeCase) };
}

/** Functions that write the table named by one of their arguments, with the argument's index. */
const tableCalls: Record<string, number> = { rowsIn: 0, giveBackLeases: 1, releaseLease: 1, renewLease: 1 };

/** What Kysely's calls do with the tables in their first argument. */
const accesses = new Map<string, Access>([
  ...['selectFrom', 'innerJoin', 'leftJoin', 'rightJoin', 'fullJoin', 'crossJoin'].map(reads),
  ...['innerJoinLateral', 'leftJoinLateral', 'crossJoinLateral', 'from', 'using'].map(reads),
  ...['insertInto', 'replaceInto', 'updateTable', 'deleteFrom', 'mergeInto'].map(writes),
]);

function reads(method: string): [string, Access] {
  return [method, 'read'];
}

function writes(method: string): [string, Access] {
  return [method, 'write'];
}

function readCall(call: CallExpression, { file, checker }: Reading): void {
  const [argument] = call.arguments;
  if (is.isIdentifier(call.expression) && Object.hasOwn(tableCalls, call.expression.text)) {
    const table = call.arguments[tableCalls[call.expression.text]!];
    const name = table && isText(table) ? snakeCase(table.text) : null;
    if (name === null) file.dynamic.push(call.getText());
    else file.uses.push({ name, access: 'write' });
    return;
  }
  const method = methodOf(call);
  if (!argument || !method) return;
  if (method === 'sql.raw') return readRaw(argument, file);
  if (method === 'sql.table') {
    if (namesOf(argument, checker) === 'dynamic') file.dynamic.push(call.getText());
    return;
  }
  if (!is.isPropertyAccessExpression(call.expression)) return;
  const { name, expression: of } = call.expression;
  if (name.text.startsWith('with') && isText(argument))
    file.ctes.push(snakeCase(argument.text.split('(')[0]!));
  const access = accesses.get(name.text);
  // In queries, another call precedes `from`. `Array.from` is not a query.
  if (!access || (['from', 'using'].includes(name.text) && !is.isCallExpression(of))) return;
  const names = namesOf(argument, checker);
  if (names === 'dynamic') file.dynamic.push(call.getText());
  else file.uses.push(...names.map((each) => ({ name: snakeCase(each), access })));
}

function readRaw(argument: Expression, file: FileSql): void {
  if (!isText(argument)) {
    file.dynamic.push(argument.parent.getText());
    return;
  }
  const { uses, ctes } = tablesIn([argument.text], []);
  file.uses.push(...uses);
  file.ctes.push(...ctes);
}

/** For example `sql.raw` for `sql.raw(…)`. Only the last name if an expression precedes it. */
function methodOf({ expression }: CallExpression): string | null {
  if (!is.isPropertyAccessExpression(expression)) return null;
  const { expression: of, name } = expression;
  return is.isIdentifier(of) ? `${of.text}.${name.text}` : name.text;
}

/** The tables that a call names in a string, a list, or a union of strings. None for a subquery. */
function namesOf(argument: Expression, checker: Checker): string[] | 'dynamic' {
  if (is.isAsExpression(argument) || is.isParenthesizedExpression(argument)) {
    return namesOf(argument.expression, checker);
  }
  if (isText(argument)) return [argument.text.split(' ')[0]!];
  if (is.isArrayLiteralExpression(argument)) {
    const lists = argument.elements.map((element) => namesOf(element, checker));
    return lists.includes('dynamic') ? 'dynamic' : (lists.flat() as string[]);
  }
  if (is.isTemplateExpression(argument)) {
    const { head, templateSpans: spans } = argument;
    const [first] = spans;
    return head.text === '' && first ? namesOf(first.expression, checker) : 'dynamic';
  }
  if (is.isIdentifier(argument) || is.isPropertyAccessExpression(argument)) {
    const type = checker.getTypeAtLocation(argument);
    const types = type?.isUnionType() ? type.getTypes() : [type];
    const texts = types.map((each) => (each?.isStringLiteralType() ? each.value : null));
    return texts.every((text) => text !== null) ? texts : 'dynamic';
  }
  return [];
}

function isText(node: Node): node is StringLiteral | NoSubstitutionTemplateLiteral {
  return is.isStringLiteral(node) || is.isNoSubstitutionTemplateLiteral(node);
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
