import type { WorkflowEdit } from '../../src/ledger/pricing/plan.ts';

/** Workflow files in the shapes that public repositories have, written for these tests. */
type Shape = {
  name: string;
  content: string;
  /** An event, a job as it is recorded, an artifact and a key of a cache. */
  event: string;
  job: string;
  artifact: string;
  cache: string;
  /** Why some fixes leave the file as it is, or a part of it. */
  refuses?: Partial<Record<WorkflowEdit['action'], string>>;
};

const anchor = '4: An anchor repeats these lines in other places, which would change too.';

const noCache =
  'No step of these files saves a cache with a key like none-*. An action such as setup-node may save it.';

const noSchedule = (line: number) => ({ run_less_often: `${line}: The file has no schedule now.` });

const noChanges = {
  skip_documentation: '2: It starts neither on pull_request nor on pushes to branches now.',
};

const upload = 'actions/upload-artifact@v4';

export const workflowShapes: readonly Shape[] = [
  {
    name: 'a matrix with includes, and comments everywhere',
    event: 'push',
    job: 'test (ubuntu-latest, 22)',
    artifact: 'coverage-ubuntu-latest',
    cache: 'Linux-node-*',
    content: `# Runs the tests.
name: Tests

on:
  push:
    branches: [main] # and nothing else
  pull_request:
  # While nobody looks.
  schedule:
    - cron: "30 2 * * 1-5" # on workdays

# Nobody writes.
permissions:
  contents: read

jobs:
  test:
    name: test (\${{ matrix.os }}, \${{ matrix.node }})
    # The cheapest that works.
    runs-on: \${{ matrix.os }} # chosen by the matrix
    strategy:
      fail-fast: false
      matrix:
        os: [ubuntu-latest, macos-latest]
        node: [20, 22]
        include:
          - os: windows-latest
            node: 22
    steps:
      - uses: actions/checkout@v4
      - uses: actions/cache/save@v4 # saved always
        with:
          path: ~/.npm
          key: \${{ runner.os }}-node-\${{ github.sha }}
      - run: npm test
      # Kept for debugging.
      - uses: ${upload}
        with:
          name: coverage-\${{ matrix.os }}
          path: |
            coverage
            !coverage/tmp

      - run: echo done
`,
  },
  {
    name: 'Windows line ends',
    event: 'pull_request',
    job: 'build',
    artifact: 'package',
    cache: 'nuget-*',
    content: `name: Build
on:
  pull_request:
  schedule: [{ cron: '*/15 * * * *' }]
jobs:
  build:
    runs-on: windows-latest
    steps:
      - uses: actions/cache/save@v4
        with:
          path: ~/.nuget/packages
          key: nuget-\${{ github.run_id }}
      - run: dotnet build
      - uses: ${upload}
        with:
          name: package
          path: bin
`.replaceAll('\n', '\r\n'),
  },
  {
    name: 'a list of events, no final newline',
    event: 'push',
    job: 'lint',
    artifact: 'report',
    cache: 'pip-*',
    refuses: noSchedule(1),
    content: `on: [push, pull_request]
jobs:
  lint:
    steps:
      - uses: actions/cache/save@v4
        with: { path: ~/.cache/pip, key: "pip-\${{ github.sha }}" }
      - uses: ${upload}
        with: { name: report, path: out }
    runs-on: ubuntu-latest`,
  },
  {
    name: 'flow style throughout a job',
    event: 'push',
    job: 'check',
    artifact: 'logs',
    cache: 'go-*',
    refuses: noSchedule(2),
    content: `name: Flow
on: push
jobs:
  check: { runs-on: ubuntu-latest, steps: [ { uses: actions/cache/save@v4, with: { path: ~/go/pkg/mod, key: "go-\${{ github.run_number }}" } }, { uses: ${upload}, with: { name: logs, path: logs } } ] }
`,
  },
  {
    name: 'four and one spaces of indentation',
    event: 'push',
    job: 'Unit tests',
    artifact: 'junit',
    cache: 'gradle-*',
    content: `on:
    push:
        branches:
        - main
        - 'release/**'
    schedule:
    -   cron: 0 0,12 * * *
    workflow_dispatch:


jobs:
 unit:
     name: Unit tests
     runs-on:
     - self-hosted
     - linux

     steps:
     - name: Save
       uses: actions/cache/save@v4
       with:
            key: gradle-\${{ github.sha }}
            path: ~/.gradle/caches
     -   name: Report
         uses: ${upload}
         with:
             path: build/reports
             name: junit
`,
  },
  {
    name: 'limits, groups and retention that are there already',
    event: 'pull_request',
    job: 'slow',
    artifact: 'dist',
    cache: 'cargo-*',
    refuses: noSchedule(1),
    content: `on: pull_request
concurrency: \${{ github.workflow }}-\${{ github.ref }}   # one at a time
jobs:
  slow:
    timeout-minutes: 360 # the default
    runs-on: ubuntu-latest
    steps:
      - uses: actions/cache/save@v4
        with:
          path: |
            ~/.cargo/registry
            target
          key: 'cargo-\${{ github.sha }}'
      - uses: ${upload}
        with:
          name: "dist"
          retention-days: "90"
          path: dist
      - uses: ${upload}
        with:
          name: dist
          retention-days: 90
          path: dist
`,
  },
  {
    name: 'an anchor that another job repeats',
    event: 'push',
    job: 'first',
    artifact: 'logs',
    cache: 'yarn-*',
    refuses: {
      ...noSchedule(1),
      limit_time: anchor,
      shorten_retention: anchor,
      cache_default_branch_only: anchor,
      use_a_stable_cache_key: anchor,
    },
    content: `on: push
jobs:
  first: &job
    runs-on: ubuntu-latest
    steps: &steps
      - uses: actions/cache/save@v4
        with:
          path: node_modules
          key: yarn-\${{ github.sha }}
      - uses: ${upload}
        with:
          name: logs
          path: logs
  second: *job
`,
  },
  {
    name: 'a call of a reusable workflow',
    event: 'push',
    job: 'build / compile',
    artifact: 'none',
    cache: 'none-*',
    refuses: {
      ...noSchedule(2),
      ...noChanges,
      limit_time:
        '6: build / compile is a job of a reusable workflow: its limit counts for all that call it.',
      shorten_retention: 'No step of the file uploads an artifact named like none.',
      cache_default_branch_only: noCache,
      use_a_stable_cache_key: noCache,
    },
    content: `name: Release
on:
  push:
    tags: ['v*']
jobs:
  build:
    uses: ./.github/workflows/called.yml
    with:
      target: linux
`,
  },
  {
    name: 'tabs and marks in texts, quoted keys, a document mark',
    event: 'pull_request',
    job: 'say "hi": all # of it',
    artifact: 'text\tfiles',
    cache: 'm2-*',
    content: `---
"on":
  schedule:
    - cron: '0 3 * * *'	# a tab before this comment
  "pull_request": { types: [opened, synchronize] }
"jobs":
  'say':
    name: 'say "hi": all # of it'
    'runs-on': "ubuntu-latest"
    env: { TEXT: "a	b: {c}, [d] # e" }
    steps:
      - run: "printf 'on:\\n\\tpush'"
      - { uses: 'actions/cache/save@v4', with: { path: ~/.m2/repository, key: 'm2-\${{ github.run_attempt }}' } }
      - "uses": '${upload}'
        "with":
          "name": "text\\tfiles"
          "path": >-
            a
            b
...
`,
  },
  {
    name: 'expressions in place of values, and a text to its end',
    event: 'merge_group',
    job: 'e2e',
    artifact: 'traces-*',
    cache: 'bundle-*',
    refuses: {
      ...noChanges,
      limit_time: '11: Its limit is "${{ fromJSON(vars.LIMIT) }}", which a run decides.',
      cache_default_branch_only: '20: The step has a condition already.',
    },
    content: `run-name: \${{ github.actor }}
on:
  pull_request_target: {}
  schedule:
    - { cron: "5 4 * * MON,THU" }
  merge_group:
concurrency:
  group: e2e-\${{ github.head_ref || github.run_id }}
  cancel-in-progress: false
jobs:
  e2e:
    runs-on: \${{ github.repository_owner == 'acme' && 'ubuntu-latest' || 'ubuntu-24.04' }}
    timeout-minutes: \${{ fromJSON(vars.LIMIT) }}
    steps:
      - uses: ${upload}
        if: failure()
        with:
          name: traces-\${{ github.run_id }}
          path: traces
      - if: \${{ always() }}
        uses: actions/cache/save@v4
        with:
          path: vendor/bundle
          key: bundle-\${{ github.sha }}
      - run: |+
          echo last

`,
  },
];
