/**
 * Evaluates `${{ … }}` of workflow files as far as known values go. What depends on anything else is `unknown`: it is
 * never replaced by an empty text, as GitHub does for values that do not exist.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/expressions
 */
export const unknown = Symbol('unknown');

/** Marks an object that may have more members than those that are listed. */
export const open = Symbol('open');

type Value = unknown;
export type Values = Readonly<Record<string, unknown>> & { readonly [open]?: true };

/** A text with expressions. A single expression keeps its type. */
export function evaluate(text: string, values: Values): Value {
  const parts = text.split(/(\$\{\{.*?\}\})/s).filter((part) => part !== '');
  const evaluated = parts.map((part) =>
    part.startsWith('${{') ? evaluateExpression(part.slice(3, -2), values) : part,
  );
  if (evaluated.length === 1) return evaluated[0];
  if (evaluated.includes(unknown)) return unknown;
  return evaluated.map(textOf).join('');
}

export function hasExpression(text: string): boolean {
  return text.includes('${{');
}

export function evaluateExpression(source: string, values: Values): Value {
  const tokens = tokensOf(source);
  if (tokens === null || tokens.length > maxTokens) return unknown;
  const reader = { tokens, at: 0, values };
  const value = readOr(reader);
  return reader.at === tokens.length ? value : unknown;
}

const maxTokens = 200;

type Token = { kind: 'value'; value: unknown } | { kind: 'name' | 'sign'; text: string };
type Reader = { tokens: readonly Token[]; at: number; values: Values };

const tokenForm =
  /\s*(?:(?<text>'(?:[^']|'')*')|(?<number>-?(?:0x[\da-f]+|\d+(?:\.\d+)?(?:e[-+]?\d+)?))|(?<name>[a-z_][\w-]*)|(?<sign>&&|\|\||==|!=|<=|>=|[<>!()[\],.*]))\s*/iy;

function tokensOf(source: string): Token[] | null {
  const tokens: Token[] = [];
  tokenForm.lastIndex = 0;
  while (tokenForm.lastIndex < source.length) {
    const groups = tokenForm.exec(source)?.groups;
    if (!groups) return null;
    const { text, number, name, sign } = groups;
    if (text !== undefined) tokens.push({ kind: 'value', value: text.slice(1, -1).replaceAll("''", "'") });
    else if (number !== undefined) tokens.push({ kind: 'value', value: Number(number) });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name.toLowerCase() });
    else tokens.push({ kind: 'sign', text: sign! });
  }
  return tokens;
}

function takes(reader: Reader, ...signs: string[]): string | null {
  const token = reader.tokens[reader.at];
  if (token?.kind !== 'sign' || !signs.includes(token.text)) return null;
  reader.at++;
  return token.text;
}

function readOr(reader: Reader): Value {
  let left = readAnd(reader);
  while (takes(reader, '||')) {
    const right = readAnd(reader);
    left = left === unknown ? unknown : isTruthy(left) ? left : right;
  }
  return left;
}

function readAnd(reader: Reader): Value {
  let left = readComparison(reader);
  while (takes(reader, '&&')) {
    const right = readComparison(reader);
    left = left === unknown ? unknown : isTruthy(left) ? right : left;
  }
  return left;
}

function readComparison(reader: Reader): Value {
  let left = readNot(reader);
  for (;;) {
    const sign = takes(reader, '==', '!=', '<', '<=', '>', '>=');
    if (sign === null) return left;
    left = compared(left, sign, readNot(reader));
  }
}

function compared(left: Value, sign: string, right: Value): Value {
  if (left === unknown || right === unknown) return unknown;
  const areTexts = typeof left === 'string' && typeof right === 'string';
  const [a, b] = areTexts ? [left.toLowerCase(), right.toLowerCase()] : [numberOf(left), numberOf(right)];
  const isEqual = typeof left === 'object' && left !== null ? left === right : a === b;
  switch (sign) {
    case '==':
      return isEqual;
    case '!=':
      return !isEqual;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    default:
      return a >= b;
  }
}

function readNot(reader: Reader): Value {
  if (!takes(reader, '!')) return readAccess(reader);
  const value = readNot(reader);
  return value === unknown ? unknown : !isTruthy(value);
}

function readAccess(reader: Reader): Value {
  let value = readPrimary(reader);
  for (;;) {
    if (takes(reader, '.')) {
      const token = reader.tokens[reader.at++];
      value = token?.kind === 'name' ? memberOf(value, token.text) : unknown;
    } else if (takes(reader, '[')) {
      const index = readOr(reader);
      value = takes(reader, ']') && index !== unknown ? memberOf(value, textOf(index)) : unknown;
    } else {
      return value;
    }
  }
}

function readPrimary(reader: Reader): Value {
  if (takes(reader, '(')) {
    const value = readOr(reader);
    return takes(reader, ')') ? value : unknown;
  }
  const token = reader.tokens[reader.at++];
  if (token?.kind === 'value') return token.value;
  if (token?.kind !== 'name') return unknown;
  if (takes(reader, '(')) return called(token.text, readArguments(reader));
  if (token.text in constants) return constants[token.text];
  return memberOf(reader.values, token.text);
}

const constants: Values = { true: true, false: false, null: null };

function readArguments(reader: Reader): Value[] {
  const given: Value[] = [];
  if (takes(reader, ')')) return given;
  do given.push(readOr(reader));
  while (takes(reader, ','));
  return takes(reader, ')') ? given : [unknown];
}

/** In any case of letters. A member that is not there is null, except where there may be more. */
function memberOf(owner: Value, name: string): Value {
  if (owner === unknown) return unknown;
  if (typeof owner !== 'object' || owner === null) return null;
  const key = Object.keys(owner).find((each) => each.toLowerCase() === name.toLowerCase());
  if (key !== undefined) return (owner as Values)[key];
  return open in owner ? unknown : null;
}

function called(name: string, given: readonly Value[]): Value {
  if (given.includes(unknown)) return unknown;
  const [first, second] = given;
  switch (name) {
    case 'format':
      return textOf(first).replaceAll(/\{(\d+)\}/g, (_, index) => textOf(given[Number(index) + 1]));
    case 'fromjson':
      return parsed(textOf(first));
    case 'tojson':
      return JSON.stringify(first, null, 2);
    case 'contains':
      return Array.isArray(first)
        ? first.some((each) => compared(each, '==', second) === true)
        : lower(first).includes(lower(second));
    case 'startswith':
      return lower(first).startsWith(lower(second));
    case 'endswith':
      return lower(first).endsWith(lower(second));
    case 'join':
      return Array.isArray(first)
        ? first.map(textOf).join(second === undefined ? ',' : textOf(second))
        : textOf(first);
    default:
      return unknown;
  }
}

function parsed(json: string): Value {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return unknown;
  }
}

function lower(value: Value): string {
  return textOf(value).toLowerCase();
}

function isTruthy(value: Value): boolean {
  return Boolean(value) && !Number.isNaN(value);
}

function numberOf(value: Value): number {
  if (value === null || value === '') return 0;
  return typeof value === 'object' ? Number.NaN : Number(value);
}

export function textOf(value: Value): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
