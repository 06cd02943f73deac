export type Access = 'read' | 'write';

/** An expression in a template: one of these tables, or other SQL or a value. */
export type Hole = { tables: string[] } | 'piece';

export type Used = { name: string; access: Access };
export type SqlTables = { uses: Used[]; ctes: string[] };

type Token = { kind: 'word' | 'name' | 'sign'; text: string } | { kind: 'hole'; hole: Hole };

/** The tables that a SQL template names. The texts are before, between and after the holes. */
export function tablesIn(texts: readonly string[], holes: readonly Hole[]): SqlTables {
  const tokens = texts.flatMap((text, index) => {
    const hole = holes[index];
    return hole === undefined ? tokensOf(text) : [...tokensOf(text), { kind: 'hole' as const, hole }];
  });
  const found: SqlTables = { uses: [], ctes: [] };
  const openCalls: string[] = [];
  tokens.forEach((token, index) => {
    const text = textOf(token);
    if (text === '(') openCalls.push(textOf(tokens[index - 1]));
    if (text === ')') openCalls.pop();
    const cte = cteAt(tokens, index);
    if (cte !== null) found.ctes.push(cte);
    const access = token.kind === 'word' ? accessAt(tokens, index, openCalls.at(-1)) : null;
    if (access) readTables(tokens, index + 1, access, found);
  });
  return found;
}

function tokensOf(text: string): Token[] {
  const pattern =
    /--[^\n]*|\/\*[^]*?\*\/|'(?:[^']|'')*'|\s+|(?<name>"[^"]+")|(?<word>[a-z_]\w*)|(?<sign>::|\d[\w.]*|[^])/gi;
  return [...text.matchAll(pattern)].flatMap(({ groups = {} }): Token[] => {
    const { name, word, sign } = groups;
    if (name !== undefined) return [{ kind: 'name', text: name.slice(1, -1) }];
    if (word !== undefined) return [{ kind: 'word', text: word.toLowerCase() }];
    return sign === undefined ? [] : [{ kind: 'sign', text: sign }];
  });
}

function textOf(token: Token | undefined): string {
  return token === undefined || token.kind === 'hole' ? '' : token.text;
}

/** The `x` of `x as (…)` and `x (a, b) as materialized (…)`. */
function cteAt(tokens: readonly Token[], index: number): string | null {
  const token = tokens[index];
  if (token?.kind !== 'word' || reserved.has(token.text)) return null;
  let next = index + 1;
  if (textOf(tokens[next]) === '(') next = afterParentheses(tokens, next);
  if (textOf(tokens[next]) !== 'as') return null;
  next++;
  while (['not', 'materialized'].includes(textOf(tokens[next]))) next++;
  return textOf(tokens[next]) === '(' ? token.text : null;
}

/** Functions whose arguments FROM separates. */
const functionsWithFrom = ['extract', 'overlay', 'position', 'substring', 'trim'];

/** How a statement uses the tables after this keyword. Null if no table follows. */
function accessAt(tokens: readonly Token[], index: number, openCall: string | undefined): Access | null {
  const [before, word, after] = [-1, 0, 1].map((step) => textOf(tokens[index + step]));
  switch (word) {
    case 'from':
      if (before === 'delete') return 'write';
      return before === 'distinct' || functionsWithFrom.includes(openCall ?? '') ? null : 'read';
    case 'join':
      return 'read';
    case 'using':
      return after === '(' ? null : 'read';
    case 'into':
      return 'write';
    case 'update':
      return ['for', 'key', 'do', 'on'].includes(before ?? '') ? null : 'write';
    case 'table':
      return ['alter', 'create', 'drop', 'lock', 'truncate'].includes(before ?? '') ? 'write' : null;
    default:
      return null;
  }
}

/** Keywords that follow a table in a FROM, in the position of an alias. */
const reserved = new Set(
  'as cross except fetch for full group having inner intersect join left limit natural offset on order returning right select set union using values where window with'.split(
    ' ',
  ),
);

/** Reads the table at `start` and those after commas. */
function readTables(tokens: readonly Token[], start: number, access: Access, found: SqlTables): void {
  let index = start;
  while (['exists', 'if', 'lateral', 'not', 'only'].includes(textOf(tokens[index]))) index++;
  const token = tokens[index];
  if (token === undefined) return;
  if (token.kind === 'hole') {
    if (token.hole !== 'piece') found.uses.push(...token.hole.tables.map((name) => ({ name, access })));
    index++;
  } else if (token.text === '(') {
    index = afterParentheses(tokens, index);
  } else if (token.kind === 'sign') {
    return;
  } else if (access === 'read' && textOf(tokens[index + 1]) === '(') {
    index = afterParentheses(tokens, index + 1);
  } else {
    found.uses.push({ name: token.text, access });
    index++;
  }
  if (access === 'write') return;
  if (textOf(tokens[index]) === 'as') index++;
  const alias = tokens[index];
  if (alias?.kind === 'name' || (alias?.kind === 'word' && !reserved.has(alias.text))) index++;
  if (textOf(tokens[index]) === '(') index = afterParentheses(tokens, index);
  if (textOf(tokens[index]) === ',') readTables(tokens, index + 1, access, found);
}

function afterParentheses(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let index = open; index < tokens.length; index++) {
    const text = textOf(tokens[index]);
    if (text === '(') depth++;
    if (text === ')' && --depth === 0) return index + 1;
  }
  return tokens.length;
}
