import { isDeepStrictEqual } from 'node:util';
import {
  Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { readYaml } from '../../readYaml.ts';

type Path = readonly (string | number)[];

/** A key that is new comes after the key `after`, if the map has it. */
type Setting = { at: Path; value: unknown; after?: string };

type Refusal = { reason: string; line: number | null };

/** Of a text, a list or the keys of a map. `otherwise` takes their place if nothing else is there. */
type Removal = { at: Path; without: readonly string[]; otherwise: string };

/** What a fix sets in a file, and the places that it must leave. */
export type Planned = { settings: (Setting | Removal)[]; refusals: Refusal[] };

const parsing = { logLevel: 'silent', stringKeys: true, uniqueKeys: false } as const;

/** Nobody reviews more, and the time for a patch grows with their square. */
const maxSettings = 100;

/** Only the lines of the settings change, so comments, order and line ends stay. Refuses what is not certain. */
export function setValues(text: string, settings: Planned['settings']): { text: string } | Refusal {
  if (settings.length > maxSettings)
    return { reason: `It would change more than ${maxSettings} places.`, line: null };
  const before = readYaml(text);
  if ('fault' in before) return { reason: `The file ${before.fault}.`, line: null };
  if (text.startsWith('\uFEFF'))
    return { reason: 'The file starts with a byte order mark (BOM): save it without one.', line: 1 };
  // They were replaced when the file was read, so a pull request would replace them, too.
  const damaged = text.indexOf('\uFFFD');
  if (damaged >= 0)
    return {
      reason: 'The file has bytes that are not UTF-8.',
      line: text.slice(0, damaged).split('\n').length,
    };
  const document = parseDocument(text, parsing);
  const splices: Splice[] = [];
  for (const setting of settings) {
    const file = { text, document };
    const found = 'without' in setting ? removing(file, setting) : [spliceOf(file, setting)];
    for (const each of found) {
      if ('reason' in each) return each;
      splices.push(each);
    }
  }
  const after = applied(text, splices);
  const read = readYaml(after);
  const isAsMeant =
    'value' in read &&
    isDeepStrictEqual(
      plain(read.value),
      settings.reduce<unknown>((value, each) => withChange(value, each.at, each), plain(before.value)),
    );
  return isAsMeant ? { text: after } : { reason: 'The file would not mean what it should.', line: null };
}

/** The line of a key, from 1. Null if it has none of its own. */
export function lineOf(text: string, at: Path): number | null {
  return linesIn(text)(at);
}

/** Like `lineOf`. For several keys, the text is parsed only once. */
export function linesIn(text: string): (at: Path) => number | null {
  const lineCounter = new LineCounter();
  let document: Document | undefined;
  return (at) => {
    document ??= parseDocument(text, { ...parsing, lineCounter });
    const parent = document.getIn(at.slice(0, -1), true);
    const node = isMap(parent)
      ? (pairOf(parent, at.at(-1)!)?.key as Node | undefined)
      : document.getIn(at, true);
    const { range } = (node ?? {}) as Node;
    return range ? lineCounter.linePos(range[0]).line : null;
  };
}

function lineAt(text: string, node: Node | undefined): number | null {
  return node?.range ? text.slice(0, node.range[0]).split('\n').length : null;
}

type Splice = { from: number; to: number; text: string };

/** From the end, so that earlier places stay where they are. */
function applied(text: string, splices: readonly Splice[]): string {
  let done = text;
  for (const { from, to, text: own } of splices.toReversed().toSorted((a, b) => b.from - a.from))
    done = done.slice(0, from) + own + done.slice(to);
  return done;
}

/** Without the objects that aliases share, so that a change of one is not a change of all. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function withChange(value: unknown, [key, ...rest]: Path, change: Setting | Removal): unknown {
  if (key === undefined) return 'without' in change ? withoutEntries(value, change) : change.value;
  if (Array.isArray(value))
    return value.map((each: unknown, index) => (index === key ? withChange(each, rest, change) : each));
  return {
    ...(value as object),
    [key]: withChange((value as Record<string, unknown> | null)?.[key], rest, change),
  };
}

function withoutEntries(value: unknown, { without, otherwise }: Removal): unknown {
  if (Array.isArray(value)) {
    const kept = value.filter((each) => !without.includes(each as string));
    return kept.length > 0 ? kept : [otherwise];
  }
  if (!isPlainObject(value)) return otherwise;
  const kept = Object.entries(value).filter(([key]) => !without.includes(key));
  return kept.length > 0 ? Object.fromEntries(kept) : { [otherwise]: null };
}

type File = { text: string; document: Document };

function spliceOf({ text, document }: File, { at, value, after }: Setting): Splice | Refusal {
  const key = String(at.at(-1));
  let node: unknown = document.contents;
  for (const part of at.slice(0, -1)) {
    if (isRepeated(document, node)) return repeated(text, node as Node);
    if (!isCollection(node)) break;
    node = node.get(part, true);
  }
  if (isRepeated(document, node)) return repeated(text, node as Node);
  if (!isMap(node)) return { reason: `${at.join('.')} has no place in the file.`, line: null };
  const pair = pairOf(node, key);
  const place = { text, parent: node, key, value, isTop: at.length === 1 };
  if (pair) return isRepeated(document, pair.value) ? repeated(text, pair.key) : replacing(place, pair);
  return adding(place, (after !== undefined && pairOf(node, after)) || node.items.at(-1));
}

type KnownPair = Pair<Node, Node | null>;

function pairOf(map: YAMLMap, key: string | number): KnownPair | undefined {
  const has = ({ key: own }: Pair) => isScalar(own) && own.value === key;
  return (map.items as KnownPair[]).find(has);
}

/** An alias, or what an alias repeats: a change there would be one in several places. */
function isRepeated(document: Document, node: unknown): boolean {
  if (isAlias(node)) return true;
  if ((!isScalar(node) && !isCollection(node)) || node.anchor === undefined) return false;
  let isUsed = false;
  visit(document, {
    Alias: (_, { source }) => {
      isUsed ||= source === node.anchor;
    },
  });
  return isUsed;
}

function repeated(text: string, node: Node): Refusal {
  return {
    reason: 'An anchor repeats these lines in other places, which would change too.',
    line: lineAt(text, node),
  };
}

type Place = { text: string; parent: YAMLMap; key: string; value: unknown; isTop: boolean };

function replacing({ text, parent, key, value }: Place, pair: KnownPair): Splice | Refusal {
  const { value: old } = pair;
  const line = lineAt(text, pair.key);
  const isInPlace =
    (isScalar(old) && !old.type?.startsWith('BLOCK')) || (isPlainObject(value) && isBareList(text, old));
  if (!isInPlace || !old?.range) return { reason: `${key} is written over several lines.`, line };
  const [from] = old.range;
  const to = isScalar(old) ? old.range[1] : textEnd(text, old);
  if (!isPlainObject(value)) {
    const space = from === to && text[from - 1] !== ' ' ? ' ' : '';
    return { from, to, text: space + ((isScalar(old) && quotedAs(old, value)) || scalarText(value, parent)) };
  }
  if (parent.flow) return { reason: `${key} is written in braces.`, line };
  const column = columnOf(text, pair.key);
  const lines = linesOf(value, column + stepOf(parent, text)).join(eolAt(text, from));
  const start = text.slice(0, from).trimEnd().length;
  return { from: start, to: from === to ? start : to, text: eolAt(text, from) + lines };
}

/** Without comments, which would lose their place. */
function isBareList(text: string, node: unknown): boolean {
  return isSeq(node) && !text.slice((node as Node).range![0], textEnd(text, node)).includes('#');
}

type Entry = Node | KnownPair;

function removing(file: File, { at, without, otherwise }: Removal): (Splice | Refusal)[] {
  const { text, document } = file;
  const parent = document.getIn(at, true);
  if (!isCollection(parent)) return [spliceOf(file, { at, value: otherwise })];
  if (isRepeated(document, parent)) return [repeated(text, parent)];
  const items = parent.items as Entry[];
  const isGone = (item: Entry) => without.includes(String(keyOf(item)));
  const firstKept = items.findIndex((item) => !isGone(item));
  return items.flatMap((item, index) => {
    if (!isGone(item)) return [];
    if (firstKept === -1 && index === 0) {
      const own = isMap(parent) ? `${otherwise}:${parent.flow ? ' null' : ''}` : otherwise;
      return [{ from: keyOf(item).range![0], to: textEnd(text, item), text: own }];
    }
    if (!parent.flow) return [withoutLines(text, item)];
    const [before, after] = index > firstKept ? [items[index - 1]!, item] : [item, items[index + 1]!];
    return [withoutOneOf(text, { before, after, isLast: after === item })];
  });
}

function keyOf(item: Entry): Node {
  return isPair(item) ? item.key : item;
}

/** All lines of an entry, with the comments in them. Others stay. */
function withoutLines(text: string, item: Entry): Splice | Refusal {
  const start = keyOf(item).range![0];
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const end = textEnd(text, item);
  const [rest] = /^[^\n]*\n?/.exec(text.slice(end))!;
  const hasItsLines = /^[ \t]*(-[ \t]+)?$/.test(text.slice(from, start)) && /^:?\s*(#.*\s*)?$/.test(rest);
  if (!hasItsLines)
    return { reason: 'Other values are written in the same line.', line: lineAt(text, keyOf(item)) };
  const isAtEnd = !rest.endsWith('\n');
  return { from: isAtEnd ? text.slice(0, from).trimEnd().length : from, to: end + rest.length, text: '' };
}

/** One of two entries in braces or brackets, with the comma between them. */
function withoutOneOf(
  text: string,
  { before, after, isLast }: { before: Entry; after: Entry; isLast: boolean },
): Splice | Refusal {
  const [from, to] = [textEnd(text, before), keyOf(after).range![0]];
  if (!/^\s*,\s*$/.test(text.slice(from, to)))
    return { reason: 'There is more than a comma before or after it.', line: lineAt(text, keyOf(after)) };
  return isLast
    ? { from, to: textEnd(text, after), text: '' }
    : { from: keyOf(before).range![0], to, text: '' };
}

function adding({ text, parent, key, value, isTop }: Place, after: Pair | undefined): Splice | Refusal {
  if (parent.flow) {
    if (isPlainObject(value) || !parent.range)
      return { reason: 'The map is written in braces.', line: lineAt(text, parent) };
    const from = parent.range[0] + 1;
    const own = `${key}: ${scalarText(value, parent)}`;
    const isSpaced = text[from] === ' ';
    const written = parent.items.length === 0 ? own : isSpaced ? ` ${own},` : `${own}, `;
    return { from, to: from, text: written };
  }
  const first = parent.items[0] as KnownPair | undefined;
  if (!first || !after) return { reason: `There is no place for ${key}.`, line: lineAt(text, parent) };
  const last = textEnd(text, after);
  const lineEnd = /\r?\n|$/.exec(text.slice(last))!;
  const from = last + lineEnd.index;
  const eol = eolAt(text, from);
  const isApart = isTop && /^(\r?\n[ \t]*){2}|^\s*$/.test(text.slice(from));
  const lines = linesOf({ [key]: value }, columnOf(text, first.key), stepOf(parent, text));
  return { from, to: from, text: eol + (isApart ? eol : '') + lines.join(eol) };
}

function textEnd(text: string, node: unknown): number {
  return text.slice(0, endOf(node)).trimEnd().length;
}

/** Where the text of a node ends, without comments after it. */
function endOf(node: unknown): number {
  if (isPair(node)) return endOf(node.value ?? node.key);
  const { range } = node as Node;
  const last = isCollection(node) && !node.flow ? node.items.at(-1) : undefined;
  return last === undefined ? range![1] : endOf(last);
}

function columnOf(text: string, node: Node): number {
  const [from] = node.range!;
  return from - (text.lastIndexOf('\n', from - 1) + 1);
}

/** How far the file indents a map in this one; two spaces if it has none. */
function stepOf(parent: YAMLMap, text: string): number {
  for (const { key, value } of parent.items as KnownPair[]) {
    const [inner] = isMap(value) && !value.flow ? (value.items as KnownPair[]) : [];
    if (inner) return Math.max(1, columnOf(text, inner.key) - columnOf(text, key));
  }
  return 2;
}

function linesOf(value: unknown, column: number, indent = 2): string[] {
  return yamlOf(value, indent)
    .split('\n')
    .map((line) => ' '.repeat(column) + line);
}

const style = { lineWidth: 0, flowCollectionPadding: false, nullStr: '', singleQuote: true } as const;

/** Lists in one line, so that a diff stays short. */
function yamlOf(value: unknown, indent = 2): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Seq: (_, list) => {
      list.flow = true;
    },
  });
  return document.toString({ ...style, indent }).trimEnd();
}

/** Null if it is no text, or has marks that quotes would change. */
function quotedAs({ type }: Scalar, value: unknown): string | null {
  const quote = type === 'QUOTE_SINGLE' ? "'" : type === 'QUOTE_DOUBLE' ? '"' : null;
  return quote && typeof value === 'string' && !/['"\\]/.test(value) ? quote + value + quote : null;
}

function scalarText(value: unknown, { flow }: YAMLMap): string {
  if (flow && typeof value === 'string' && !/^[\w./-]+$/.test(value)) return JSON.stringify(value);
  return yamlOf(value);
}

function eolAt(text: string, from: number): string {
  return (/\r?\n/.exec(text.slice(from)) ?? /\r?\n/.exec(text))?.[0] ?? '\n';
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
