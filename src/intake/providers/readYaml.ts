import { parseDocument } from 'yaml';

export type YamlMap = { readonly [key: string]: unknown };

const maxCharacters = 256 * 1024;
/** Of nested collections: each level takes several calls to read. */
const maxDepth = 100;
/** A few aliases can stand for billions of values. */
const maxAliases = 200;
/** Of the values with what their aliases stand for. */
const maxValueCharacters = 1024 * 1024;

/** A file from a repository as plain values, or why it cannot be read. */
export function readYaml(text: string): { value: unknown } | { fault: string } {
  if (text.length > maxCharacters) return { fault: `has more than ${maxCharacters / 1024} KiB` };
  try {
    const document = parseDocument(text, { merge: true, logLevel: 'silent', stringKeys: true });
    const [error] = document.errors;
    if (error) return { fault: `is not valid YAML: ${error.message.split('\n')[0]}` };
    const value: unknown = document.toJS({ maxAliasCount: maxAliases });
    if (isTooDeep(value)) return { fault: 'is nested too deeply' };
    if (sizeOf(value) > maxValueCharacters) return { fault: 'repeats too much with its aliases' };
    return { value };
  } catch (error) {
    // Too many aliases, or more levels than the stack has room for.
    return { fault: `cannot be read: ${(error as Error).message.split('\n')[0]}` };
  }
}

/** About the length of its JSON. */
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
