import type { PlannedJob } from '../../../../ledger/pricing/plan.ts';
import { isMap, sizeOf, type YamlMap } from '../../readYaml.ts';
import { evaluate, hasExpression, isEqual, memberAt, spend, unknown, type Values } from './expressions.ts';

/** The values of one job, those of them that are part of its name, and its part of the work. */
export type Combination = { values: YamlMap; named: YamlMap; shard: PlannedJob['shard'] };

/** The job of a matrix without values, and of none. */
export const onlyJob: Combination = { values: {}, named: {}, shard: { group: '[]', count: 1 } };

/** GitHub's own limit for one matrix. */
const maxCombinations = 256;

/**
 * The jobs of a matrix, or why the file alone does not determine them. Follows GitHub's `MatrixBuilder`:
 * https://github.com/actions/runner/blob/main/src/Sdk/WorkflowParser/Conversion/MatrixBuilder.cs
 */
export function expandMatrix(matrix: unknown, values: Values): Combination[] | { fault: string } {
  if (!spend(values, sizeOf(matrix))) return tooLarge;
  const resolved = resolveAll(matrix, values);
  if (resolved === unknown) return { fault: 'Its matrix is computed when it runs' };
  const read = partsOf(resolved);
  if ('fault' in read) return read;
  const size = sizeOfProduct(read.axes);
  if (size > maxCombinations * 16) return tooMany;
  if (!spend(values, (1 + size) * sizeOf(resolved))) return tooLarge;
  const kept = productOf(read.axes).filter((each) => !read.excludes.some((entry) => fits(entry, each)));
  const all = withIncludes(kept, read);
  if (all.length > maxCombinations) return tooMany;
  // GitHub starts one job without a matrix if nothing is left.
  return all.length > 0 ? withShards(all, read.axes) : [onlyJob];
}

const tooMany = { fault: `Its matrix has more than ${maxCombinations} jobs, which GitHub refuses` };
export const tooLarge = { fault: 'The workflows are too large to read whole' };

type Named = Omit<Combination, 'shard'>;
type Axis = [name: string, items: readonly unknown[]];
type Parts = { axes: Axis[]; includes: readonly YamlMap[]; excludes: readonly YamlMap[] };

function partsOf(matrix: unknown): Parts | { fault: string } {
  if (!isMap(matrix)) return refused('it is no map');
  const { include = [], exclude = [], ...vectors } = matrix;
  const lists = { ...vectors, include, exclude };
  const odd = Object.entries(lists).find(([, list]) => !Array.isArray(list));
  if (odd) return refused(`\`${odd[0]}\` is no list`);
  const axes = Object.entries(vectors) as Axis[];
  const empty = axes.find(([, items]) => items.length === 0);
  if (empty) return refused(`\`${empty[0]}\` has no values`);
  const [includes, excludes] = [include, exclude] as YamlMap[][];
  if (axes.length + includes!.length === 0) return refused('it has no values');
  if (![...includes!, ...excludes!].every((entry) => isMap(entry) && Object.keys(entry).length > 0))
    return refused('an entry of `include` or `exclude` has no values');
  const stray = excludes!.flatMap(Object.keys).find((name) => memberAt(vectors, name) === undefined);
  if (stray !== undefined)
    return refused(`\`exclude\` names \`${stray.slice(0, 100)}\`, which the matrix lacks`);
  return { axes, includes: includes!, excludes: excludes! };
}

function refused(reason: string): { fault: string } {
  return { fault: `GitHub refuses its matrix, because ${reason}` };
}

function sizeOfProduct(axes: readonly Axis[]): number {
  return axes.reduce((product, [, items]) => product * items.length, 1);
}

function productOf(axes: readonly Axis[]): YamlMap[] {
  if (axes.length === 0) return [];
  return axes.reduce<YamlMap[]>(
    (made, [name, items]) => made.flatMap((each) => items.map((item) => ({ ...each, [name]: item }))),
    [{}],
  );
}

/** An entry extends each combination whose own values it equals. If there is none, it is one of its own. */
function withIncludes(kept: readonly YamlMap[], { axes, includes }: Parts): Named[] {
  const vectors = Object.fromEntries(axes);
  const extras = kept.map((): [string, unknown][] => []);
  const others: YamlMap[] = [];
  for (const include of includes) {
    const [own, extra] = [true, false].map((isOwn) =>
      Object.fromEntries(
        Object.entries(include).filter(([name]) => (memberAt(vectors, name) !== undefined) === isOwn),
      ),
    );
    const fitting = [...kept.keys()].filter((index) => fits(own, kept[index]));
    for (const index of fitting) extras[index]!.push(...Object.entries(extra!));
    if (fitting.length === 0) others.push({ ...own, ...extra });
  }
  return [
    ...kept.map((named, index) => ({ values: { ...named, ...Object.fromEntries(extras[index]!) }, named })),
    ...others.map((values) => ({ values, named: values })),
  ];
}

/** Shards have values such as `1/4`, or numbers up to the only value of another axis. */
function withShards(all: readonly Named[], axes: readonly Axis[]): Combination[] {
  const counted = axes.find(([, items]) => items.every((item, index) => item === index + 1));
  const total = axes.find(
    (axis) => axis !== counted && axis[1].length === 1 && axis[1][0] === counted?.[1].length,
  );
  const numbered = counted && total ? [counted[0], total[0]] : [];
  const countIn = ([name, value]: [string, unknown]) =>
    numbered.includes(name) ? counted![1].length : Number(/^\d+\/(\d+)$/.exec(String(value))?.[1] ?? 0);
  const shards = all.map(({ named }) => {
    const entries = Object.entries(named);
    const group = JSON.stringify(entries.filter((entry) => countIn(entry) === 0));
    return { group, count: Math.max(1, ...entries.map(countIn)) };
  });
  const members = Map.groupBy(shards, ({ group }) => group);
  return all.map((each, index) => {
    const shard = shards[index]!;
    const group = members.get(shard.group)!;
    const isWhole = group.length === shard.count && group.every(({ count }) => count === shard.count);
    return { ...each, shard: isWhole ? shard : { group: JSON.stringify(each.named), count: 1 } };
  });
}

/** Whether each leaf of the entry is `==` the value at its place, as GitHub compares them. */
function fits(entry: unknown, value: unknown): boolean {
  if (typeof entry !== 'object' || entry === null) return isEqual(value ?? null, entry);
  return Object.entries(entry).every(([name, each]) => fits(each, memberAt(value, name)));
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
