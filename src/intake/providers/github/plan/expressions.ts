import { isTooDeep, sizeOf } from '../../readYaml.ts';

/**
 * Evaluates `${{ … }}` as far as values are known. The rest is `unknown`, and never an empty text as at
 * GitHub. https://docs.github.com/en/actions/reference/workflows-and-actions/expressions
 */
export const unknown = Symbol('unknown');

/** Marks an object that may have more members than those listed. */
export const open = Symbol('open');

/** The remaining work for reading, in characters, because a small file can cause a lot of work. */
export const budget = Symbol('budget');

export type Budget = { left: number };

type Value = unknown;
export type Values = Readonly<Record<string, unknown>> & {
  readonly [open]?: true;
  readonly [budget]?: Budget;
};

/** Longer texts are unknown. */
const maxTextLength = 20_000;

/** Splits into texts and expressions by turns: the odd pieces are the contents of `${{ … }}`. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf('${{', from);
    const end = start === -1 ? -1 : text.indexOf('}}', start + 3);
    if (end === -1) return [...pieces, text.slice(from)];
    pieces.push(text.slice(from, start), text.slice(start + 3, end));
    from = end + 2;
  }
}

/** Spends characters of the budget. Returns false if none are left. */
export function spend(values: Values, characters: number): boolean {
  const left = values[budget];
  if (!left) return true;
  left.left -= characters;
  return left.left >= 0;
}

/** Evaluates a text with expressions. A single expression keeps its type. */
export function evaluate(text: string, values: Values): Value {
  if (text.length > maxTextLength) return unknown;
  const pieces = piecesOf(text);
  if (pieces.length === 3 && pieces[0] === '' && pieces[2] === '')
    return evaluateExpression(pieces[1]!, values);
  let whole = '';
  for (const [index, piece] of pieces.entries()) {
    const value = index % 2 === 1 ? evaluateExpression(piece, values) : piece;
    if (value === unknown) return unknown;
    whole += textOf(value);
    if (whole.length > maxTextLength) return unknown;
  }
  return whole;
}

export function hasExpression(text: string): boolean {
  return text.includes('${{');
}

export function evaluateExpression(source: string, values: Values): Value {
  if (!spend(values, source.length)) return unknown;
  const tokens = tokensOf(source);
  if (tokens === null || tokens.length > maxTokens) return unknown;
  const parser = { tokens, at: 0, values };
  const value = readOr(parser);
  return parser.at === tokens.length ? value : unknown;
}

const maxTokens = 200;

type Token = { kind: 'value'; value: unknown } | { kind: 'name' | 'sign'; text: string };
type Parser = { tokens: readonly Token[]; at: number; values: Values };

const tokenForm =
  /\s*(?:(?<text>'(?:[^']|'')*')|(?<number>-?(?:0x[\da-f]+|\d+(?:\.\d+)?(?:e[-+]?\d+)?))|(?<name>[a-z_][\w-]*)|(?<sign>&&|\|\||==|!=|<=|>=|[<>!()[\],.*]))\s*/iy;

function tokensOf(source: string): Token[] | null {
  const tokens: Token[] = [];
  tokenForm.lastIndex = 0;
  while (tokenForm.lastIndex < source.length && tokens.length <= maxTokens) {
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

function takes(parser: Parser, ...signs: string[]): string | null {
  const token = parser.tokens[parser.at];
  if (token?.kind !== 'sign' || !signs.includes(token.text)) return null;
  parser.at++;
  return token.text;
}

function readOr(parser: Parser): Value {
  let left = readAnd(parser);
  while (takes(parser, '||')) {
    const right = readAnd(parser);
    left = left === unknown ? unknown : isTruthy(left) ? left : right;
  }
  return left;
}

function readAnd(parser: Parser): Value {
  let left = readComparison(parser);
  while (takes(parser, '&&')) {
    const right = readComparison(parser);
    left = left === unknown ? unknown : isTruthy(left) ? right : left;
  }
  return left;
}

function readComparison(parser: Parser): Value {
  let left = readNot(parser);
  for (;;) {
    const sign = takes(parser, '==', '!=', '<', '<=', '>', '>=');
    if (sign === null) return left;
    left = compared(left, sign, readNot(parser));
  }
}

function compared(left: Value, sign: string, right: Value): Value {
  if (left === unknown || right === unknown) return unknown;
  const [a, b] = comparable(left, right);
  switch (sign) {
    case '==':
      return isEqual(left, right);
    case '!=':
      return !isEqual(left, right);
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

/** GitHub's `==`: coerces numbers and texts, ignores case, and takes objects as they are. */
export function isEqual(left: Value, right: Value): boolean {
  const [a, b] = comparable(left, right);
  return typeof left === 'object' && left !== null ? left === right : a === b;
}

function comparable(left: Value, right: Value): [string, string] | [number, number] {
  const areTexts = typeof left === 'string' && typeof right === 'string';
  return areTexts ? [left.toLowerCase(), right.toLowerCase()] : [numberOf(left), numberOf(right)];
}

function readNot(parser: Parser): Value {
  if (!takes(parser, '!')) return readAccess(parser);
  const value = readNot(parser);
  return value === unknown ? unknown : !isTruthy(value);
}

function readAccess(parser: Parser): Value {
  let value = readPrimary(parser);
  for (;;) {
    if (takes(parser, '.')) {
      const token = parser.tokens[parser.at++];
      value = token?.kind === 'name' ? memberOf(value, token.text, parser) : unknown;
    } else if (takes(parser, '[')) {
      const index = readOr(parser);
      value = takes(parser, ']') && index !== unknown ? memberOf(value, textOf(index), parser) : unknown;
    } else {
      return value;
    }
  }
}

function readPrimary(parser: Parser): Value {
  if (takes(parser, '(')) {
    const value = readOr(parser);
    return takes(parser, ')') ? value : unknown;
  }
  const token = parser.tokens[parser.at++];
  if (token?.kind === 'value') return token.value;
  if (token?.kind !== 'name') return unknown;
  if (takes(parser, '(')) return called(token.text, readArguments(parser), parser);
  if (Object.hasOwn(constants, token.text)) return constants[token.text];
  return memberOf(parser.values, token.text, parser);
}

const constants: Values = { true: true, false: false, null: null };

function readArguments(parser: Parser): Value[] {
  const given: Value[] = [];
  if (takes(parser, ')')) return given;
  do given.push(readOr(parser));
  while (takes(parser, ','));
  return takes(parser, ')') ? given : [unknown];
}

/** Ignores case. A missing member is null, unless the object may have more members. */
function memberOf(owner: Value, name: string, { values }: Parser): Value {
  if (owner === unknown) return unknown;
  if (typeof owner !== 'object' || owner === null) return null;
  if (!spend(values, Object.keys(owner).length)) return unknown;
  const value = memberAt(owner, name);
  if (value !== undefined) return shortOrUnknown(value);
  return open in owner ? unknown : null;
}

const membersOf = new WeakMap<object, Map<string, Value>>();

/** The member of a map, ignoring case, or the item of a list. Undefined if there is none. */
export function memberAt(owner: Value, name: string): Value {
  if (typeof owner !== 'object' || owner === null) return undefined;
  if (Array.isArray(owner)) return owner[Math.floor(numberOf(name))];
  let members = membersOf.get(owner);
  if (!members) {
    members = new Map(Object.entries(owner).map(([key, value]) => [key.toLowerCase(), value]));
    membersOf.set(owner, members);
  }
  return members.get(name.toLowerCase());
}

function shortOrUnknown(value: Value): Value {
  return typeof value === 'string' && value.length > maxTextLength ? unknown : value;
}

/** Calls the function, with limits for the size of its arguments and its result. */
function called(name: string, given: readonly Value[], { values }: Parser): Value {
  if (given.includes(unknown)) return unknown;
  const size = given.reduce<number>((sum, each) => sum + sizeOf(each), 0);
  if (!spend(values, size) || size > maxTextLength) return unknown;
  const result = resultOf(name, given);
  return spend(values, typeof result === 'string' ? result.length : size) ? shortOrUnknown(result) : unknown;
}

function resultOf(name: string, given: readonly Value[]): Value {
  const [first, second] = given;
  switch (name) {
    case 'format':
      return formatted(given.map(textOf));
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
        ? joined(first.map(textOf), second === undefined ? ',' : textOf(second))
        : textOf(first);
    default:
      return unknown;
  }
}

function formatted([form = '', ...texts]: readonly string[]): Value {
  let length = form.length;
  const text = form.replaceAll(/\{(\d{1,4})\}/g, (_, index) => {
    const value = texts[Number(index)] ?? '';
    length += value.length;
    return length > maxTextLength ? '' : value;
  });
  return length > maxTextLength ? unknown : text;
}

function joined(texts: readonly string[], separator: string): Value {
  return texts.length * separator.length > maxTextLength ? unknown : texts.join(separator);
}

function parsed(json: string): Value {
  try {
    const value: unknown = JSON.parse(json);
    return isTooDeep(value) ? unknown : value;
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
  if (value === null) return 0;
  const isOther = typeof value === 'object' || (typeof value === 'string' && /^\s*0[BbXO]/.test(value));
  return isOther ? Number.NaN : Number(value);
}

export function textOf(value: Value): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return numberText(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const digits = 15;

/** As .NET's format G15, which GitHub uses. */
function numberText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const rounded = Number(value.toPrecision(digits));
  const [mantissa, exponent] = rounded.toExponential().split('e') as [string, string];
  if (rounded === 0 || (Number(exponent) > -5 && Number(exponent) < digits)) return String(rounded);
  return `${mantissa}E${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
}
