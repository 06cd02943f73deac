import { hasExpression, piecesOf, textOf } from './expressions.ts';

/** Longer names and conditions are cut off. */
export const maxTitle = 500;
const maxNameLength = 100;

/** A job's name at GitHub: `test (ubuntu-latest, 22)`, without the values if the title has expressions. */
export function nameOf(
  title: string,
  { text, id, named }: { text: string; id: string; named: unknown },
): string {
  if (hasExpression(title) && text !== '') return text.slice(0, maxTitle);
  const leaves = leavesOf(named);
  const name = (text || id) + (leaves.length > 0 ? ` (${joinedStart(leaves)})` : '');
  return name.length > maxNameLength ? `${name.slice(0, maxNameLength - 3)}...` : name;
}

function leavesOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leavesOf);
  const text = textOf(value);
  return text === '' ? [] : [text];
}

/** Joins only as much as a name can contain. */
function joinedStart(texts: readonly string[]): string {
  let start = '';
  for (const text of texts) {
    if (start.length > maxNameLength) break;
    start += (start === '' ? '' : ', ') + text.slice(0, maxTitle);
  }
  return start;
}

/** The known parts of a name. Any text may be between them. */
export function partsOf(title: string, isOpenEnded: boolean): string[] {
  const parts = piecesOf(title).filter((_, index) => index % 2 === 0);
  return isOpenEnded && parts.length === 1 ? [`${title} (`, ')'] : parts;
}

/** Whether a recorded name has these parts. GitHub cuts off long names and ends them with dots. */
export function nameTest(parts: readonly string[]): (recorded: string) => boolean {
  const [first = '', ...others] = parts;
  const last = others.at(-1);
  if (last === undefined)
    return (name) =>
      name === first ||
      (name.length >= maxNameLength && name.endsWith('...') && first.startsWith(name.slice(0, -3)));
  return (name) =>
    name.length >= first.length + last.length &&
    name.startsWith(first) &&
    name.endsWith(last) &&
    hasParts(name, parts);
}

function hasParts(name: string, parts: readonly string[]): boolean {
  let at = 0;
  return parts.every((part) => {
    const found = name.indexOf(part, at);
    at = found + part.length;
    return found !== -1;
  });
}
