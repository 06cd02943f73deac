import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Plan } from '../../../../ledger/pricing/plan.ts';
import { evaluateExpression, open, unknown } from './expressions.ts';
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
