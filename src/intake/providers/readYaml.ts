import {
  isAlias,
  isCollection,
  isPair,
  isScalar as isScalarNode,
  Lexer,
  LineCounter,
  parseDocument,
  visit,
  type Document,
} from 'yaml';
import { inTurns } from '../../platform/lib/turns.ts';

export type YamlMap = { readonly [key: string]: unknown };

const maxCharacters = 256 * 1024;
/** Limit for nested collections, because reading each level takes several calls. */
const maxDepth = 100;
/** The library searches all anchors and aliases for each. */
const maxAliases = 10_000;
/** A few aliases can stand for billions of values. */
const maxValueCharacters = 1024 * 1024;

export type ReadYaml = { value: unknown } | { fault: string };

/** By path. A large file takes a fraction of a second, so other requests are answered between two files. */
export async function readYamlFiles(
  files: readonly { path: string; content: string }[],
): Promise<Map<string, ReadYaml>> {
  const read = new Map<string, ReadYaml>();
  for await (const { path, content } of inTurns(files)) read.set(path, readYaml(content));
  return read;
}

/** Returns a file from a repository as plain values, or why it cannot be read. */
export function readYaml(text: string): ReadYaml {
  if (text.length > maxCharacters) return { fault: `has more than ${maxCharacters / 1024} KiB` };
  if (hasTooManyBrackets(text)) return { fault: 'is nested too deeply' };
  try {
    // The library's own check compares each key with each, and its pretty errors quote a line per error.
    const options = { merge: true, logLevel: 'silent', stringKeys: true, uniqueKeys: false } as const;
    const lines = new LineCounter();
    const document = withoutStacks(() =>
      parseDocument(text, { ...options, prettyErrors: false, lineCounter: lines }),
    );
    const error = firstErrorOf(document, lines) ?? repeatedKeyIn(document);
    if (error) return { fault: `is not valid YAML: ${error}` };
    const { size, names } = expandedSize(document.contents, new Map());
    if (names > maxAliases) return { fault: `has more than ${maxAliases} anchors and aliases` };
    if (size > maxValueCharacters) return { fault: 'repeats too much with its aliases' };
    // The library's own check would search the file for each alias.
    const value: unknown = document.toJS({ maxAliasCount: -1 });
    return isTooDeep(value) ? { fault: 'is nested too deeply' } : { value };
  } catch (error) {
    // There are too many aliases, or more levels than the stack can take.
    return { fault: `cannot be read: ${(error as Error).message.split('\n')[0]}` };
  }
}

function firstErrorOf({ errors: [error] }: Document, lines: LineCounter): string | null {
  if (!error) return null;
  const { line, col } = lines.linePos(error.pos[0]);
  return `${error.message.split('\n')[0]} at line ${line}, column ${col}`;
}

function repeatedKeyIn(document: Document): string | null {
  let repeated: string | null = null;
  visit(document, {
    Map: (_, { items }) => {
      const keys = items.flatMap(({ key }) => (isScalarNode(key) ? [key.value] : []));
      if (new Set(keys).size === keys.length) return undefined;
      repeated = 'Map keys must be unique';
      return visit.BREAK;
    },
  });
  return repeated;
}

/** Checked before parsing, which takes seconds for thousands of open brackets. */
function hasTooManyBrackets(text: string): boolean {
  let open = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') open++;
    else if ((token === ']' || token === '}') && open > 0) open--;
    if (open > maxDepth) return true;
  }
  return false;
}

/** The library creates an error for each fault of a file, and thousands of stack traces take seconds. */
function withoutStacks<Result>(parse: () => Result): Result {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return parse();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

type Expanded = { size: number; names: number };

/** Like `sizeOf`, but before the value exists, because merged maps are copies, which take time and memory. */
function expandedSize(node: unknown, anchors: Map<string, Expanded>): Expanded {
  if (isAlias(node)) {
    const meant = anchors.get(node.source);
    if (!meant) throw new Error(`the alias ${node.source} has no anchor that ends before it`);
    return { size: meant.size, names: meant.names + 1 };
  }
  if (isPair(node)) return sumOf([node.key, node.value], 0, anchors);
  if (!isScalarNode(node) && !isCollection(node)) return { size: 4, names: 0 };
  const { anchor } = node;
  if (anchor !== undefined) anchors.delete(anchor);
  const expanded = isCollection(node)
    ? sumOf(node.items, 2, anchors)
    : { size: String(node.value).length + 2, names: 0 };
  if (anchor === undefined) return expanded;
  const named = { size: expanded.size, names: expanded.names + 1 };
  anchors.set(anchor, named);
  return named;
}

function sumOf(nodes: readonly unknown[], size: number, anchors: Map<string, Expanded>): Expanded {
  const sum = { size, names: 0 };
  for (const node of nodes) {
    const expanded = expandedSize(node, anchors);
    sum.size += expanded.size;
    sum.names += expanded.names;
  }
  return sum;
}

/** Approximately the length of the value's JSON. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  return Object.entries(value).reduce((sum, [name, each]) => sum + name.length + sizeOf(each), 2);
}

export function isTooDeep(value: unknown, levels: number = maxDepth): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isTooDeep(each, levels - 1));
}

export function isMap(value: unknown): value is YamlMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function mapOf(value: unknown): YamlMap {
  return isMap(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

export function textsOf(value: unknown): string[] {
  return listOf(value).flatMap((each) => (isScalar(each) ? [String(each)] : []));
}

export function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
