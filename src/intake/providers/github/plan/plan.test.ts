import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Plan } from '../../../../ledger/pricing/plan.ts';
import { evaluate, evaluateExpression, open, piecesOf, unknown } from './expressions.ts';
import { expandMatrix } from './matrix.ts';
import { readGitHubWorkflows } from './readWorkflows.ts';

const repository = 'acme/api';

function planOf(files: Record<string, string>): Promise<Plan> {
  const list = Object.entries(files).map(([name, content]) => ({
    path: `.github/workflows/${name}`,
    content,
  }));
  return readGitHubWorkflows(list, { repository });
}

function jobsOf(plan: Plan): [name: string, labels: string | null][] {
  return plan.workflows.flatMap(({ jobs }) =>
    jobs.map(({ name, labels }) => [name, labels?.join(',') ?? null] as [string, string | null]),
  );
}

const expand = (matrix: object) => expandMatrix(matrix, { [open]: true });

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

const value = fc.constantFrom('a', 'b', 1, true);
const name = fc.constantFrom('os', 'node', 'mode');
const vectors = fc.dictionary(name, fc.uniqueArray(value, { minLength: 1, maxLength: 3 }), {
  noNullPrototype: true,
});
const entry = fc.dictionary(fc.constantFrom('os', 'node', 'mode', 'extra'), value, {
  minKeys: 1,
  noNullPrototype: true,
});

test('any matrix follows the rules of exclude and include', () => {
  fc.assert(
    fc.property(
      vectors,
      fc.array(entry, { maxLength: 4 }),
      fc.array(entry, { maxLength: 4 }),
      (lists, exclude, include) => {
        const found = expand({ ...lists, exclude, include });
        assert.ok(Array.isArray(found));
        const names = Object.keys(lists);
        const own = (each: object) => Object.entries(each).filter(([key]) => names.includes(key));
        const isIn = (part: object, whole: Record<string, unknown>) =>
          Object.entries(part).every(([key, part_]) => whole[key] === part_);
        const all =
          names.length === 0
            ? []
            : names.reduce<Record<string, unknown>[]>(
                (made, key) => made.flatMap((each) => lists[key]!.map((item) => ({ ...each, [key]: item }))),
                [{}],
              );
        const kept = all.filter((each) => !exclude.some((filter) => isIn(filter, each)));
        const originals = found.slice(0, kept.length);
        // Original values are never overwritten, and each combination that is not excluded stays.
        assert.deepEqual(
          originals.map((each) => Object.fromEntries(own(each))),
          kept,
        );
        const fits = (each: object) =>
          kept.some((combination) => isIn(Object.fromEntries(own(each)), combination));
        assert.deepEqual(
          found.slice(kept.length),
          include.filter((each) => !fits(each)),
        );
        for (const [index, combination] of kept.entries()) {
          const added = include.filter((each) => isIn(Object.fromEntries(own(each)), combination));
          assert.deepEqual(originals[index], Object.assign({}, combination, ...added));
        }
      },
    ),
  );
});

test('expressions follow precedence, and anything unknown stays unknown', () => {
  const values = {
    matrix: { os: 'ubuntu-latest' },
    github: { repository, [open]: true as const },
    inputs: { big: true },
    [open]: true as const,
  };
  const results: [string, unknown][] = [
    ["matrix.os == 'UBUNTU-latest' && 'yes' || 'no'", 'yes'],
    ["github.repository == 'other/fork' && vars.RUNNER || 'ubuntu-latest'", 'ubuntu-latest'],
    ["github.repository == 'acme/api' && vars.RUNNER || 'ubuntu-latest'", unknown],
    ["matrix.runner || 'macos-15'", 'macos-15'],
    ['inputs.big && 1 < 2', true],
    ['fromJSON(\'["a","b"]\')[1]', 'b'],
    ["format('{0}-{1}', matrix.os, 4)", 'ubuntu-latest-4'],
    ["contains('linux-arm', 'ARM') && !startsWith('x', 'y')", true],
    ["'it''s'", "it's"],
    ['needs.plan.outputs.os', unknown],
    ['success()', unknown],
    ['1 +', unknown],
  ];
  for (const [source, expected] of results)
    assert.equal(evaluateExpression(source, values), expected, source);
});

describe('workflows as well-known projects write them', () => {
  // Shaped like the CI of Vite: one system with several versions, and one version on others.
  const vite = `
name: CI
on:
  push: { branches: [main, 'release/*', 'v[0-9]+'] }
  pull_request:
concurrency: { group: x, cancel-in-progress: true }
jobs:
  test:
    if: needs.changed.outputs.should_skip != 'true'
    timeout-minutes: 20
    runs-on: \${{ matrix.os }}
    strategy:
      matrix:
        os: [ubuntu-latest]
        node_version: [20, 22]
        include:
          - { os: macos-latest, node_version: 22 }
          - { os: windows-latest, node_version: 22 }
    name: "Build&Test: node-\${{ matrix.node_version }}, \${{ matrix.os }}"
  lint: { runs-on: ubuntu-latest }
`;

  test('Vite: versions on one system, and other systems by include', async () => {
    const plan = await planOf({ 'ci.yml': vite });
    assert.deepEqual(jobsOf(plan), [
      ['Build&Test: node-20, ubuntu-latest', 'ubuntu-latest'],
      ['Build&Test: node-22, ubuntu-latest', 'ubuntu-latest'],
      ['Build&Test: node-22, macos-latest', 'macos-latest'],
      ['Build&Test: node-22, windows-latest', 'windows-latest'],
      ['lint', 'ubuntu-latest'],
    ]);
    const [workflow] = plan.workflows;
    assert.ok(workflow?.cancelsSuperseded);
    assert.equal(workflow.jobs[0]!.timeout, '20');
    const push = workflow.triggers!.find(({ event }) => event === 'push')!;
    const branches = ['main', 'release/7', 'release/7/fix', 'v12', 'v12.1', 'topic'];
    assert.deepEqual(
      branches.filter((branch) => push.takesBranch!(branch)),
      ['main', 'release/7', 'v12'],
    );
    assert.deepEqual(plan.unresolved, []);
  });

  test('undici: a matrix that calls a reusable workflow with a runner as input', async () => {
    const plan = await planOf({
      'nodejs.yml': `
name: Node CI
on: [push]
jobs:
  test:
    strategy: { matrix: { node-version: [20, 22], runs-on: [ubuntu-latest, windows-latest] } }
    uses: ./.github/workflows/test.yml
    with: { node-version: '\${{ matrix.node-version }}', runs-on: '\${{ matrix.runs-on }}' }
  review: { uses: actions/review/.github/workflows/review.yml@v1 }
`,
      'test.yml': `
on: { workflow_call: { inputs: { runs-on: { type: string }, title: { default: unit } } } }
jobs:
  test:
    name: \${{ inputs.title }} on Node.js \${{ inputs.node-version }} \${{ inputs.runs-on }}
    runs-on: \${{ inputs.runs-on }}
`,
    });
    assert.deepEqual(jobsOf(plan), [
      ['test (20, ubuntu-latest) / unit on Node.js 20 ubuntu-latest', 'ubuntu-latest'],
      ['test (20, windows-latest) / unit on Node.js 20 windows-latest', 'windows-latest'],
      ['test (22, ubuntu-latest) / unit on Node.js 22 ubuntu-latest', 'ubuntu-latest'],
      ['test (22, windows-latest) / unit on Node.js 22 windows-latest', 'windows-latest'],
    ]);
    assert.deepEqual(plan.unresolved, [
      {
        path: '.github/workflows/nodejs.yml',
        job: 'review',
        reason:
          'It calls actions/review/.github/workflows/review.yml@v1, which is in another repository: jobs inside it are not counted.',
      },
    ]);
  });

  test('pnpm: a matrix that depends on the branch matches what was recorded', async () => {
    const plan = await planOf({
      'ci.yml': `
on: push
jobs:
  test:
    name: \${{ matrix.platform }} / Node.js \${{ matrix.node }}
    strategy:
      matrix:
        node: [22, 24]
        platform: [ubuntu-latest, windows-latest]
        exclude: [{ node: "\${{ github.ref != 'refs/heads/main' && '24' || 'none' }}", platform: windows-latest }]
    runs-on: \${{ matrix.platform }}
  shards:
    strategy: { matrix: "\${{ fromJSON(needs.plan.outputs.matrix) }}" }
    runs-on: [self-hosted, big]
`,
    });
    const [named, shards] = plan.workflows[0]!.jobs;
    assert.equal(named!.labels, null);
    assert.ok(named!.hasName('windows-latest / Node.js 24') && !named!.hasName('lint'));
    assert.deepEqual(shards!.labels, ['self-hosted', 'big']);
    assert.ok(
      shards!.hasName('shards (1, 3)') && !shards!.hasName('shards') && !shards!.hasName('shardsX (1)'),
    );
    assert.equal(plan.unresolved.length, 3);
  });

  test('a group, a list from an expression and a label from a default', async () => {
    const plan = await planOf({
      'big.yml': `
on: { workflow_dispatch: { inputs: { runner: { default: macos-15 } } } }
jobs:
  group: { runs-on: { group: large, labels: [linux-16] } }
  list: { runs-on: "\${{ fromJSON('[\\"self-hosted\\", \\"gpu\\"]') }}" }
  asked: { runs-on: "\${{ inputs.runner }}", name: Asked }
  variable: { runs-on: "\${{ vars.RUNNER || 'ubuntu-latest' }}" }
`,
    });
    assert.deepEqual(jobsOf(plan), [
      ['group', 'linux-16'],
      ['list', 'self-hosted,gpu'],
      ['Asked', 'macos-15'],
      ['variable', null],
    ]);
    assert.equal(plan.workflows[0]!.jobs[0]!.runnerGroup, 'large');
  });
});

test('a file that is no workflow, a bomb and a loop are part of the plan', async () => {
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
  for (const [index, letter] of 'bcdefgh'.split('').entries()) {
    const last = 'abcdefg'[index]!;
    bomb.push(`${letter}: &${letter} [${Array.from({ length: 9 }, () => `*${last}`).join(', ')}]`);
  }
  const plan = await planOf({
    'bomb.yml': `on: push\n${bomb.join('\n')}`,
    'broken.yml': 'on: [push\njobs: {',
    'deep.yml': '['.repeat(5_000),
    'huge.yml': ' '.repeat(300_000),
    'text.yml': 'hello',
    'loop.yml': 'on: { push: , workflow_call: }\njobs: { again: { uses: ./.github/workflows/loop.yml } }',
    'wide.yml': `on: push\njobs: { all: { runs-on: x, strategy: { matrix: { a: [${Array.from({ length: 300 }, (_, index) => index).join(', ')}] } } } }`,
  });
  const faults = Object.groupBy(plan.unresolved, ({ path }) => path.split('/').at(-1)!);
  for (const file of ['bomb.yml', 'broken.yml', 'deep.yml', 'huge.yml', 'text.yml', 'loop.yml', 'wide.yml'])
    assert.ok(faults[file]?.length === 1, `${file}: ${JSON.stringify(faults[file])}`);
});

describe('a small file cannot ask for a lot of work', () => {
  const expression = (source: string) => evaluateExpression(source, {});

  test('in a matrix', () => {
    const many = Array.from({ length: 300 }, (_, index) => ({ a: index }));
    const axis = Array.from({ length: 200 }, (_, index) => index);
    assert.deepEqual(expand({ a: axis, b: axis, c: axis, d: [] }), []);
    for (const matrix of [
      { a: axis, b: axis },
      { a: [1], include: many },
      { a: [1], exclude: many },
    ])
      assert.ok('fault' in expand(matrix), JSON.stringify(matrix).slice(0, 80));
  });

  test('in expressions', async () => {
    const text = '${{'.repeat(80_000);
    assert.equal(evaluate(text, {}), unknown);
    assert.deepEqual(piecesOf(text), [text]);
    const brackets = `fromJSON('${'['.repeat(9_000)}${']'.repeat(9_000)}')`;
    const wide = `'${'{0}'.repeat(50)}'`;
    const nested = [1, 2, 3, 4].reduce((inner) => `format(${wide}, ${inner})`, "'x'");
    for (const source of [brackets, `toJSON(${brackets})`, nested, 'constructor', 'toString'])
      assert.ok([unknown, null].includes(expression(source) as null), source.slice(0, 40));
    const plan = await planOf({ 'a.yml': `on: push\njobs: { a: { runs-on: x, name: "${text}" } }` });
    assert.equal(plan.workflows.length, 1);
  });

  test('in calls', async () => {
    const uses = (called: string, times: number) =>
      Array.from({ length: times }, (_, index) => `  j${index}: { uses: ./.github/workflows/${called}.yml }`);
    const file = (jobs: string[]) => ['on: { push: , workflow_call: }', 'jobs:', ...jobs].join('\n');
    const itself = await planOf({ 'a.yml': file(uses('a', 20)) });
    assert.match(itself.unresolved[0]!.reason, /^It calls .*a\.yml, which calls it/);
    const names = 'abcdefgh'.split('');
    const fan = names.map((letter, index) => [`${letter}.yml`, file(uses(names[index + 1] ?? 'leaf', 20))]);
    const leaf = file(['  one: { runs-on: x }']);
    const wide = await planOf(Object.fromEntries([...fan, ['leaf.yml', leaf]]) as Record<string, string>);
    assert.match(JSON.stringify(wide.unresolved), /Only the first 5000 jobs are read/);
    const odd = await planOf({ 'a.yml': file(['  a: { uses: { toString: 1 } }']) });
    assert.match(odd.unresolved[0]!.reason, /`uses` is no text/);
    const events = Array.from({ length: 200 }, (_, index) => `e${index}`).join(', ');
    const broken = await planOf({ 'a.yml': `on: [${events}]\njobs: {}`, 'b.yml': leaf });
    assert.deepEqual([broken.workflows.length, broken.unresolved.length], [1, 1]);
  });

  test('in keys', async () => {
    const jobs = Array.from({ length: 9_000 }, (_, index) => `  j${index}: { runs-on: x }`);
    const plan = await planOf({
      'large.yml': `on: push\njobs:\n${jobs.join('\n')}`,
      'twice.yml': 'on: push\njobs: { a: { runs-on: x }, a: { runs-on: y } }',
    });
    assert.deepEqual(
      plan.workflows.map(({ path, jobs: read }) => [path, read.length]),
      [['.github/workflows/large.yml', 5_000]],
    );
    assert.match(plan.unresolved[0]!.reason, /is not valid YAML: Map keys must be unique/);
  });

  test('by aliases', async () => {
    const aliases = Array.from({ length: 150 }, () => '*a').join(', ');
    const plan = await planOf({
      'a.yml': `on: push\nenv: { A: &a ["${'x'.repeat(10_000)}"], B: [${aliases}] }`,
    });
    assert.match(plan.unresolved[0]!.reason, /repeats too much/);
  });

  test('by merged maps, many anchors, or an alias within its anchor', async () => {
    const many = (count: number, textOf: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => textOf(index));
    const keys = many(12_000, (index) => `k${index}: `).join(', ');
    const merging = [
      ...many(150, (index) => `b${index}: &b${index} { <<: *a }`),
      ...many(150, (index) =>
        many(Math.floor(199 / (index + 1)), (again) => `c${index}_${again}: { <<: *b${index} }`).join('\n'),
      ),
    ];
    const anchors = many(200, (index) => `&a${index} x`).join(', ');
    const aliases = many(9_900, (index) => `*a${index % 200}`).join(', ');
    const plan = await planOf({
      'merged.yml': `on: push\nenv: &a { ${keys} }\n${merging.join('\n')}`,
      'names.yml': `on: push\na: [${anchors}]\nb: [${aliases}]`,
      'quotes.yml': '"'.repeat(2_000),
      'within.yml': `on: push\na: &a { ${keys}, b: { <<: *a } }`,
    });
    const faults = plan.unresolved.map(({ path, reason }) => [path.split('/').at(-1), reason]);
    assert.deepEqual(faults, [
      ['merged.yml', 'The file repeats too much with its aliases'],
      ['names.yml', 'The file has more than 10000 anchors and aliases'],
      [
        'quotes.yml',
        'The file is not valid YAML: Unexpected double-quoted-scalar at node end at line 1, column 3',
      ],
      ['within.yml', 'The file cannot be read: the alias a has no anchor that ends before it'],
    ]);
    const used = `x: &x { runs-on: y }\non: push\njobs:\n${many(300, (index) => `  j${index}: *x`).join('\n')}`;
    assert.equal((await planOf({ 'a.yml': used })).workflows[0]!.jobs.length, 300);
  });
});

test('any text is read or becomes a fault', async () => {
  const line = fc.constantFrom(
    'on: push',
    'jobs:',
    '  a:',
    '    runs-on: x',
    '    strategy: {matrix: [1]}',
    '- b',
    '"',
    '&a',
    '*a',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc.array(line).map((lines) => lines.join('\n')),
      ),
      async (content) => {
        await planOf({ 'ci.yml': content });
      },
    ),
  );
});
