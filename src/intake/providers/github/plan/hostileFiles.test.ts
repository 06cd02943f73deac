import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Plan } from '../../../../ledger/pricing/plan.ts';
import { evaluate, evaluateExpression, open, piecesOf, unknown } from './expressions.ts';
import { expandMatrix } from './matrix.ts';
import { readGitHubWorkflows } from './readWorkflows.ts';

function planOf(files: Record<string, string>): Promise<Plan> {
  const list = Object.entries(files).map(([name, content]) => ({
    path: `.github/workflows/${name}`,
    content,
  }));
  return readGitHubWorkflows(list, { repository: 'acme/api' });
}

const expand = (matrix: object) => expandMatrix(matrix, { [open]: true });

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
    'closed.yml': ']'.repeat(5_000) + '['.repeat(5_000),
    'huge.yml': ' '.repeat(300_000),
    'text.yml': 'hello',
    'loop.yml': 'on: { push: , workflow_call: }\njobs: { again: { uses: ./.github/workflows/loop.yml } }',
    'wide.yml': `on: push\njobs: { all: { runs-on: x, strategy: { matrix: { a: [${Array.from({ length: 300 }, (_, index) => index).join(', ')}] } } } }`,
  });
  const faults = Object.groupBy(plan.unresolved, ({ path }) => path.split('/').at(-1)!);
  for (const file of ['bomb.yml', 'broken.yml', 'deep.yml', 'huge.yml', 'text.yml', 'loop.yml', 'wide.yml'])
    assert.ok(faults[file]?.length === 1, `${file}: ${JSON.stringify(faults[file])}`);
  for (const file of ['deep.yml', 'closed.yml'])
    assert.equal(faults[file]![0]!.reason, 'The file is nested too deeply');
});

describe('a small file cannot ask for a lot of work', () => {
  const expression = (source: string) => evaluateExpression(source, {});

  test('in a matrix', () => {
    const many = Array.from({ length: 300 }, (_, index) => ({ a: index }));
    const axis = Array.from({ length: 200 }, (_, index) => index);
    for (const matrix of [
      { a: axis, b: axis, c: axis, d: [] },
      { a: axis, b: axis },
      { a: [1], include: many },
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

  test('in filters of branches', async () => {
    const file = (branches: string[]) =>
      `on: { push: { branches: ${JSON.stringify(branches)} } }\njobs: { a: { runs-on: x } }`;
    const plain = Array.from({ length: 199 }, (_, index) => `team-${index}/release`);
    const plan = await planOf({
      'names.yml': file(['*/main', ...plain]),
      'patterns.yml': file(Array.from({ length: 5 }, () => '*a'.repeat(150))),
    });
    const [names, patterns] = plan.workflows.map(({ triggers }) => triggers![0]!);
    const branches = ['a/main', 'team-198/release', 'team-199/release', 'a/main'];
    assert.deepEqual(branches.map(names!.takesBranch!), [true, true, false, true]);
    assert.deepEqual([patterns!.takesBranch, patterns!.unknownFilters], [null, ['branches']]);
    assert.deepEqual(plan.unresolved, []);
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
    const few = many(100, (index) => `k${index}: *b`).join(', ');
    const repeated = many(100, () => '*few').join(', ');
    const plan = await planOf({
      'merged.yml': `on: push\nenv: &a { ${keys} }\n${merging.join('\n')}`,
      'names.yml': `on: push\na: [${anchors}]\nb: [${aliases}]`,
      'quotes.yml': '"'.repeat(2_000),
      'repeated.yml': `on: push\na: &b x\nb: &few { ${few} }\nc: [${repeated}]`,
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
      ['repeated.yml', 'The file has more than 10000 anchors and aliases'],
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
