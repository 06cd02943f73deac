import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Plan } from '../../../../ledger/pricing/plan.ts';
import { open } from './expressions.ts';
import { expandMatrix } from './matrix.ts';
import { readGitHubWorkflows } from './readWorkflows.ts';

function jobsOf({ workflows }: Plan): [name: string, labels: string | undefined][] {
  return workflows.flatMap(({ jobs }) =>
    jobs.map(({ name, labels }) => [name, labels?.join(',')] as [string, string]),
  );
}

function expand(matrix: object): object[] | { fault: string } {
  const found = expandMatrix(matrix, { [open]: true });
  return 'fault' in found ? found : found.map(({ values }) => values);
}

// https://docs.github.com/en/actions/how-tos/write-workflows/choose-what-workflows-do/run-job-variations
test("GitHub's example of include extends combinations and adds others", () => {
  const found = expand({
    fruit: ['apple', 'pear'],
    animal: ['cat', 'dog'],
    include: [
      { color: 'green' },
      { color: 'pink', animal: 'cat' },
      { fruit: 'apple', shape: 'circle' },
      { fruit: 'banana' },
      { fruit: 'banana', animal: 'cat' },
    ],
  });
  assert.deepEqual(found, [
    { fruit: 'apple', animal: 'cat', color: 'pink', shape: 'circle' },
    { fruit: 'apple', animal: 'dog', color: 'green', shape: 'circle' },
    { fruit: 'pear', animal: 'cat', color: 'pink' },
    { fruit: 'pear', animal: 'dog', color: 'green' },
    { fruit: 'banana' },
    { fruit: 'banana', animal: 'cat' },
  ]);
});

const value = fc.constantFrom<unknown>('a', 'A', 'b', 1, '1', true, null, '');
const name = fc.constantFrom('os', 'node', 'mode');
const vectors = fc.dictionary(name, fc.array(value, { minLength: 1, maxLength: 3 }), {
  minKeys: 1,
  noNullPrototype: true,
});
const entry = fc.dictionary(fc.constantFrom('os', 'node', 'mode', 'extra'), value, {
  minKeys: 1,
  noNullPrototype: true,
});
const manyEntries = fc.array(entry, { maxLength: 4 });

test('any matrix follows the rules of exclude and include', () => {
  const isSame = (a: unknown, b: unknown) => {
    const [left, right] = [a, b].map((each) => (typeof each === 'string' ? each.toLowerCase() : each));
    return typeof left === typeof right ? left === right : Number(left) === Number(right);
  };
  const isIn = (part: [string, unknown][], whole: Record<string, unknown>) =>
    part.every(([key, each]) => isSame(each, whole[key]));
  fc.assert(
    fc.property(vectors, manyEntries, manyEntries, (lists, exclude, include) => {
      const names = Object.keys(lists);
      const ownOf = (each: object) => Object.entries(each).filter(([key]) => names.includes(key));
      const extraOf = (each: object) => Object.entries(each).filter(([key]) => !names.includes(key));
      const found = expand({ ...lists, exclude, include });
      if (exclude.some((each) => extraOf(each).length > 0)) {
        assert.match(
          (found as { fault: string }).fault,
          /^GitHub refuses its matrix, because `exclude` names/,
        );
        return;
      }
      const all = names.reduce<Record<string, unknown>[]>(
        (made, key) => made.flatMap((each) => lists[key]!.map((item) => ({ ...each, [key]: item }))),
        [{}],
      );
      const kept = all.filter((each) => !exclude.some((filter) => isIn(Object.entries(filter), each)));
      const expected = [
        ...kept.map((each) => {
          const fitting = include.filter((added) => isIn(ownOf(added), each));
          return Object.assign({}, each, ...fitting.map((added) => Object.fromEntries(extraOf(added))));
        }),
        ...include.filter((added) => !kept.some((each) => isIn(ownOf(added), each))),
      ];
      assert.deepEqual(found, expected.length > 0 ? expected : [{}]);
    }),
  );
});

describe("a matrix is GitHub's", () => {
  const matrixOf = (matrix: string, job = 'runs-on: ubuntu-latest') => {
    const content = `on: push\njobs: { test: { ${job}, strategy: { matrix: ${matrix} } } }`;
    return readGitHubWorkflows([{ path: '.github/workflows/ci.yml', content }], { repository: 'acme/api' });
  };
  const namesOf = async (matrix: string, job?: string) =>
    jobsOf(await matrixOf(matrix, job)).map(([each]) => each);

  test('an entry leaves out combinations by parts of their objects', async () => {
    const systems = `[{ name: macos, runs-on: { arm: macos-15, intel: macos-15-intel } }, { name: ubuntu, runs-on: { intel: ubuntu-latest } },
      { name: windows, runs-on: { intel: windows-latest } }]`;
    const matrix = `{ os: ${systems}, arch: [{ name: arm }, { name: intel }],
      exclude: [{ os: { name: Windows }, arch: { name: arm } }, { OS: { name: ubuntu }, arch: { name: arm } }] }`;
    const plan = await matrixOf(matrix, 'runs-on: "${{ matrix.os.runs-on[matrix.arch.name] }}"');
    assert.deepEqual(jobsOf(plan), [
      ['test (macos, macos-15, macos-15-intel, arm)', 'macos-15'],
      ['test (macos, macos-15, macos-15-intel, intel)', 'macos-15-intel'],
      ['test (ubuntu, ubuntu-latest, intel)', 'ubuntu-latest'],
      ['test (windows, windows-latest, intel)', 'windows-latest'],
    ]);
    assert.deepEqual(plan.unresolved, []);
    assert.deepEqual(await namesOf('{ v: [[1, 2], [1, 3], [2]], exclude: [{ v: ["1"] }] }'), ['test (2)']);
  });

  test('values are equal as the expression == says', () => {
    const equal: [unknown, unknown][] = [
      [20, '20'],
      [22, '22.0'],
      ['Windows-Latest', 'windows-latest'],
      [true, 1],
      [true, '1'],
      [false, ''],
      [null, 0],
      [null, ''],
      [16, '0x10'],
      ['a', 'a'],
      [Infinity, 'Infinity'],
    ];
    const other: [unknown, unknown][] = [
      [true, 'true'],
      [Number.NaN, Number.NaN],
      [2, '0b10'],
      [16, '0X10'],
      ['1', '1.0'],
      [{ a: 1 }, 'Object'],
      [[1], 1],
      [null, 'null'],
    ];
    for (const [item, given] of equal)
      assert.deepEqual(expand({ a: [item, 'x'], exclude: [{ a: given }] }), [{ a: 'x' }], String(given));
    for (const [item, given] of other)
      assert.deepEqual(expand({ a: [item], exclude: [{ a: given }] }), [{ a: item }], String(given));
    // What an entry names and a value lacks is null.
    assert.deepEqual(expand({ a: [{ b: 1 }, 'x'], exclude: [{ a: { c: null } }] }), [{}]);
  });

  test('include comes after exclude, and never changes the values of a combination', () => {
    const matrix = {
      os: ['ubuntu', 'windows'],
      node: [20, 22],
      exclude: [{ os: 'macos' }, { node: 20 }, { node: 22, os: 'WINDOWS' }],
    };
    assert.deepEqual(expand({ ...matrix, include: [{ os: 'macos', node: 20 }] }), [
      { os: 'ubuntu', node: 22 },
      { os: 'macos', node: 20 },
    ]);
    const include = [
      { OS: 'UBUNTU', node: '22', extra: 1 },
      { extra: 2, more: 3 },
      { os: 'windows', extra: 4 },
    ];
    assert.deepEqual(expand({ ...matrix, include }), [
      { os: 'ubuntu', node: 22, extra: 2, more: 3 },
      { os: 'windows', extra: 4 },
    ]);
  });

  test('a name has the values of the matrix, but not those that an entry adds to them', async () => {
    const cases: [matrix: string, names: string[]][] = [
      ['{ os: [a, b], include: [{ os: a, x: 1 }, { y: 2 }] }', ['test (a)', 'test (b)']],
      [
        '{ os: [a], include: [{ x: 1, os: c, y: [2, { z: "" }, null, true] }] }',
        ['test (a)', 'test (c, 1, 2, true)'],
      ],
      ['{ include: [{ os: a, x: 1 }, { x: 1e15, os: 0.00001 }] }', ['test (a, 1)', 'test (1E+15, 1E-05)']],
      ['{ v: [3.10, "3.10", null] }', ['test (3.1)', 'test (3.10)', 'test']],
      ['{ a: [x], exclude: [{ a: x }] }', ['test']],
      [`{ a: ["${'x'.repeat(120)}"] }`, [`test (${'x'.repeat(91)}...`]],
      ['"${{ fromJSON(\'{\\"os\\":[\\"a\\"],\\"include\\":[{\\"n\\":1}]}\') }}"', ['test (a)']],
      ['{ os: "${{ fromJSON(\'[1,2]\') }}" }', ['test (1)', 'test (2)']],
    ];
    for (const [matrix, names] of cases) assert.deepEqual(await namesOf(matrix), names, matrix);
    const titled = (title: string) => namesOf('{ a: [x, y] }', `runs-on: x, name: "${title}"`);
    assert.deepEqual(await titled('Unit'), ['Unit (x)', 'Unit (y)']);
    assert.deepEqual(await titled('${{ matrix.none }}'), ['test (x)', 'test (y)']);
    assert.deepEqual(await titled('${{ strategy.job-index }} of ${{ strategy.job-total }}'), [
      '0 of 2',
      '1 of 2',
    ]);
  });

  test('what GitHub refuses is unknown, and why', async () => {
    const many = Array.from({ length: 300 }, (_, index) => index).join(', ');
    const cases: [matrix: string, reason: RegExp][] = [
      ['{ a: [1], exclude: [{ b: 1 }] }', /`exclude` names `b`, which the matrix lacks/],
      ['{ a: [] }', /`a` has no values/],
      ['{ a: x }', /`a` is no list/],
      ['{ a: [1], include: { a: 2 } }', /`include` is no list/],
      ['{ a: [1], include: [{}] }', /an entry of `include` or `exclude` has no values/],
      ['{ include: [] }', /it has no values/],
      ['[1]', /it is no map/],
      [`{ a: [${many}] }`, /more than 256 jobs/],
    ];
    for (const [matrix, reason] of cases) {
      const { unresolved } = await matrixOf(matrix);
      assert.equal(unresolved.length, 1, matrix);
      assert.match(unresolved[0]!.reason, reason);
      assert.match(unresolved[0]!.reason, /GitHub refuses.*: the number of its jobs is unknown\.$/);
    }
    const entries = Array.from({ length: 300 }, (_, index) => `{ a: ${index + 1} }`).join(', ');
    assert.deepEqual(await namesOf(`{ a: [0, ${many}], exclude: [${entries}] }`), ['test (0)', 'test (0)']);
  });

  test('shards of other numbers do the same work', async () => {
    const shardsOf = async (matrix: string) => {
      const { workflows } = await matrixOf(matrix);
      return workflows[0]!.jobs.map(({ shard }) => shard);
    };
    const [of2, of3] = [
      await shardsOf('{ os: [a, b], n: [1/2, 2/2] }'),
      await shardsOf('{ os: [a, b], n: [1/3, 2/3, 3/3] }'),
    ];
    assert.deepEqual(
      of2.map(({ count }) => count),
      [2, 2, 2, 2],
    );
    assert.deepEqual(new Set(of3.map(({ group }) => group)), new Set(of2.map(({ group }) => group)));
    assert.equal(new Set(of2.map(({ group }) => group)).size, 2);
    const numbered = await shardsOf('{ index: [1, 2, 3], total: [3] }');
    assert.deepEqual(
      numbered.map(({ count }) => count),
      [3, 3, 3],
    );
    const others = await shardsOf('{ version: [1/2, 1/3] }');
    assert.deepEqual(
      others.map(({ count }) => count),
      [1, 1],
    );
  });
});
