import { isDeepStrictEqual } from 'node:util';
import { isMap, listOf, sizeOf, type YamlMap } from '../../readYaml.ts';
import { evaluate, hasExpression, spend, textOf, unknown, type Values } from './expressions.ts';

export type Combination = Record<string, unknown>;

/** GitHub's own limit for one matrix. */
const maxCombinations = 256;

/** The jobs of a matrix, or why the file alone does not determine them. */
export function expandMatrix(matrix: unknown, values: Values): Combination[] | { fault: string } {
  if (!spend(values, sizeOf(matrix))) return tooLarge;
  const resolved = resolveAll(matrix, values);
  if (resolved === unknown || !isMap(resolved)) return { fault: 'Its matrix is computed when it runs' };
  const { include, exclude, ...vectors } = resolved;
  const [excludes, includes] = [listOf(exclude), listOf(include)];
  if (excludes.length > maxCombinations || includes.length > maxCombinations) return tooManyEntries;
  const axes = Object.entries(vectors);
  if (axes.length > maxCombinations) return tooMany;
  const size = sizeOfProduct(axes);
  if (size > maxCombinations * 16) return tooMany;
  if (!spend(values, (1 + size) * sizeOf(resolved))) return tooLarge;
  const combinations = axes.length === 0 ? [] : productOf(axes);
  const excluded = excludes.filter(isMap);
  const kept = combinations.filter((each) => !excluded.some((filter) => isPartOf(filter, each)));
  const all = addIncludes(kept, Object.keys(vectors), includes.filter(isMap));
  return all.length > maxCombinations ? tooMany : all;
}

const tooMany = { fault: `Its matrix has more than ${maxCombinations} jobs, which GitHub refuses` };

const tooManyEntries = {
  fault: `Its matrix has more than ${maxCombinations} entries of include or exclude`,
};
export const tooLarge = { fault: 'The workflows are too large to read whole' };

function sizeOfProduct(axes: readonly [string, unknown][]): number {
  const lengths = axes.map(([, list]) => listOf(list).length);
  if (lengths.includes(0)) return 0;
  return lengths.reduce((product, length) => product * length, 1);
}

function productOf(axes: readonly [string, unknown][]): Combination[] {
  if (sizeOfProduct(axes) === 0) return [];
  return axes.reduce<Combination[]>(
    (combinations, [name, list]) =>
      combinations.flatMap((each) => listOf(list).map((value) => ({ ...each, [name]: value }))),
    [{}],
  );
}

/**
 * Adds an entry to every combination whose own values it does not overwrite; if there is none, as a
 * combination of its own.
 */
function addIncludes(
  combinations: readonly Combination[],
  names: readonly string[],
  includes: readonly YamlMap[],
): Combination[] {
  const all = combinations.map((each) => ({ ...each }));
  const others: Combination[] = [];
  for (const include of includes) {
    const own = Object.fromEntries(Object.entries(include).filter(([name]) => names.includes(name)));
    const fitting = [...combinations.keys()].filter((index) => isPartOf(own, combinations[index]!));
    for (const index of fitting) all[index] = { ...all[index], ...include };
    if (fitting.length === 0) others.push({ ...include });
  }
  return [...all, ...others];
}

function isPartOf(part: YamlMap, whole: Combination): boolean {
  return Object.entries(part).every(
    ([name, value]) => Object.hasOwn(whole, name) && isDeepStrictEqual(value, whole[name]),
  );
}

/** Evaluates all expressions in a value. Unknown if one of them is. */
function resolveAll(value: unknown, values: Values): unknown {
  if (typeof value === 'string') return hasExpression(value) ? evaluate(value, values) : value;
  if (Array.isArray(value)) {
    const items = value.map((each) => resolveAll(each, values));
    return items.includes(unknown) ? unknown : items;
  }
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, resolveAll(each, values)] as const);
  return entries.some(([, each]) => each === unknown) ? unknown : Object.fromEntries(entries);
}

/** The values that are part of a job's name: `test (ubuntu-latest, 22)`. */
export function leavesOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leavesOf);
  return value === null || value === undefined ? [] : [textOf(value)];
}
