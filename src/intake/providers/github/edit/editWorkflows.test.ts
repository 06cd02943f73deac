import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { parse } from 'yaml';
import { workflowShapes } from '../../../../../test/payloads/workflowShapes.ts';
import type { WorkflowEdit } from '../../../../ledger/pricing/plan.ts';
import { unifiedDiff } from '../../../../platform/lib/unifiedDiff.ts';
import { editGitHubWorkflows } from './editWorkflows.ts';

const path = '.github/workflows/ci.yml';
const called = {
  path: '.github/workflows/called.yml',
  content: 'on: workflow_call\njobs:\n  compile:\n    runs-on: ubuntu-latest\n',
};
const twin = {
  path: '.github/workflows/twin.yml',
  content: 'on: [push, pull_request, merge_group]\njobs: {}\n',
};
const folder = mkdtempSync(join(tmpdir(), 'runcost-edit-'));
after(() => rmSync(folder, { recursive: true }));

type Shape = (typeof workflowShapes)[number];
const kinds: Record<WorkflowEdit['action'], (shape: Shape) => WorkflowEdit> = {
  cancel_superseded_runs: () => ({ action: 'cancel_superseded_runs', path }),
  limit_time: ({ job }) => ({ action: 'limit_time', path, job, limits: [{ job, minutes: 15 }] }),
  shorten_retention: ({ artifact: name }) => ({ action: 'shorten_retention', path, name, days: 7 }),
  cache_default_branch_only: ({ cache: name }) => ({ action: 'cache_default_branch_only', name }),
  use_a_stable_cache_key: ({ cache: name }) => ({ action: 'use_a_stable_cache_key', name }),
  run_less_often: () => ({ action: 'run_less_often', path, every: 'week' }),
  remove_trigger: ({ event }) => ({ action: 'remove_trigger', path, events: [event] }),
  remove_duplicate: ({ event }) => ({
    action: 'remove_duplicate',
    path,
    events: [event],
    twin: twin.path,
  }),
  skip_documentation: () => ({ action: 'skip_documentation', path }),
};

const edit = (content: string, asked: WorkflowEdit) =>
  editGitHubWorkflows([{ path, content }, called, twin], asked, { repository: 'acme/api' });

function appliedByGit(content: string, patch: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: folder, input: patch });
  return readFileSync(file, 'utf8');
}

const changedLines = (patch: string) =>
  patch
    .split('\n')
    .slice(3)
    .filter((line) => /^[+-]/.test(line));

for (const shape of workflowShapes) {
  test(`each kind of fix changes only its lines, or says why not: ${shape.name}`, async () => {
    for (const [action, editOf] of Object.entries(kinds)) {
      const { files, faults } = await edit(shape.content, editOf(shape));
      const reasons = faults.map(({ line, reason }) => `${line === null ? '' : `${line}: `}${reason}`);
      const refused = shape.refuses?.[action as WorkflowEdit['action']];
      assert.deepEqual(reasons, refused === undefined ? [] : [refused], action);
      assert.equal(files.length, refused === undefined ? 1 : 0, action);
      if (refused !== undefined) continue;
      const { content } = files[0]!;
      const patch = unifiedDiff(path, shape.content, content);
      assert.equal(appliedByGit(shape.content, patch), content);
      assert.equal(content.endsWith('\n'), shape.content.endsWith('\n'));
      const lines = changedLines(patch);
      assert.ok(lines.length <= 6, lines.join('\n'));
      // Comments of changed lines stay, too. Those of an event go with its lines.
      const comments = (text: string) => text.match(/(?<=\s)# .*/g);
      const removed = lines.filter((line) => line.startsWith('-')).map((line) => line.slice(1));
      const kept = shape.content.split('\n').filter((line) => !removed.includes(line));
      const isOfEvent = action === 'remove_trigger' || action === 'remove_duplicate';
      assert.deepEqual(comments(content), comments(isOfEvent ? kept.join('\n') : shape.content));
      assertAccepted(parse(content));
    }
  });
}

test('what each fix writes', async () => {
  const [{ content, ...shape }] = workflowShapes as [Shape];
  const linesOf = async (asked: WorkflowEdit) => {
    const { files } = await edit(content, asked);
    return changedLines(unifiedDiff(path, content, files[0]!.content));
  };
  assert.deepEqual(await linesOf({ action: 'cancel_superseded_runs', path }), [
    '+concurrency:',
    '+  group: ${{ github.workflow }}-${{ github.event.pull_request.number || github.ref_name == github.event.repository.default_branch && github.run_id || github.ref }}',
    '+  cancel-in-progress: true',
    '+',
  ]);
  // The longest job of the matrix decides.
  const limits = [
    { job: shape.job, minutes: 15 },
    { job: 'test (macos-latest, 20)', minutes: 40 },
    { job: 'other', minutes: 90 },
  ];
  const limited = await linesOf({ action: 'limit_time', path, job: shape.job, limits });
  assert.deepEqual(limited, ['+    timeout-minutes: 40']);
  const kept = { action: 'shorten_retention', path, name: 'coverage-*', days: 7 } as const;
  assert.deepEqual(await linesOf(kept), ['+          retention-days: 7']);
  assert.deepEqual(await linesOf({ action: 'use_a_stable_cache_key', name: shape.cache }), [
    '-          key: ${{ runner.os }}-node-${{ github.sha }}',
    "+          key: ${{ runner.os }}-node-${{ hashFiles('**/package-lock.json', '**/yarn.lock', '**/pnpm-lock.yaml') }}",
  ]);
});

const job = 'jobs:\n  a:\n    runs-on: ubuntu-latest\n';
const lineOfCron = (cron: string) => `on:\n  schedule:\n    - cron: ${cron}\n${job}`;
const rarer: [string, 'day' | 'week', string][] = [
  ["'0 3 * * *' # at night", 'week', "'0 3 * * 1' # at night"],
  ['"30 2 * * 1-5"', 'week', '"30 2 * * 1"'],
  ["'*/5 * * * *'", 'week', "'17 4 * * 1'"],
  ["'7 */2 * * 1-5'", 'day', "'7 4 * * 1-5'"],
  ["'0 6,18 * * *'", 'day', "'0 6 * * *'"],
];
for (const [cron, every, written] of rarer)
  test(`a schedule keeps its time once a ${every}: ${cron}`, async () => {
    const { files } = await edit(lineOfCron(cron), { action: 'run_less_often', path, every });
    assert.equal(files[0]!.content, lineOfCron(written));
  });

const lessOften: [string, RegExp][] = [
  [lineOfCron("'0 3 * * *'\n    - cron: '0 9 * * *'"), /several schedules/],
  [lineOfCron("'0 3 * * 0'"), /once a week or less already/],
  [lineOfCron("'0 3 1 * *'"), /"0 3 1 \* \*" is not one of times and days of the week/],
  [lineOfCron("'0 3 * 1-2 *'"), /not one of times/],
  [lineOfCron("'@daily'"), /not one of times/],
  [lineOfCron('&at 0 3 * * *\nenv: { AT: *at }').replace('env', '\nenv'), /anchor/],
  [`${lineOfCron("'0 3 * * *'")}    if: github.event.schedule == '0 3 * * *'\n`, /compares github.event/],
  [`on: push\n${job}`, /no schedule now/],
  ['on: [push\n', /not valid YAML/],
];
for (const [content, reason] of lessOften)
  test(`leaves a schedule that is not certain: ${reason.source}`, async () => {
    const { files, faults } = await edit(content, { action: 'run_less_often', path, every: 'week' });
    assert.deepEqual(files, []);
    assert.match(faults[0]!.reason, reason);
  });

const removals: [string, string[], string][] = [
  ['on: push # all\n', ['push'], 'on: workflow_dispatch # all\n'],
  ['on: [ push, pull_request ]\n', ['push'], 'on: [ pull_request ]\n'],
  ['on: [push, merge_group, pull_request]\n', ['push', 'pull_request'], 'on: [merge_group]\n'],
  ['on: [push, pull_request]\n', ['push', 'pull_request'], 'on: [workflow_dispatch]\n'],
  ['on:\n- push # x\n# y\n- pull_request\n', ['push', 'schedule'], 'on:\n# y\n- pull_request\n'],
  [
    'on:\n  - push\n  # y\n  - pull_request\n',
    ['push', 'pull_request'],
    'on:\n  - workflow_dispatch\n  # y\n',
  ],
  [
    'on:\n  push:\n    # a\n    tags: [v1]\n  # b\n  workflow_dispatch:\n    inputs:\n      x: { type: string }\n',
    ['push'],
    'on:\n  # b\n  workflow_dispatch:\n    inputs:\n      x: { type: string }\n',
  ],
  ['on: { push: { tags: [v1] }, pull_request: }\n', ['pull_request'], 'on: { push: { tags: [v1] } }\n'],
  ['on: { push: { tags: [v1] } }\n', ['push'], 'on: { workflow_dispatch: null }\n'],
];
for (const [on, events, written] of removals)
  test(`takes ${events.join(' and ')} out of ${JSON.stringify(on)}`, async () => {
    const last = { action: 'remove_trigger', path, events } as const;
    assert.equal((await edit(on + job, last)).files[0]?.content, written + job);
    const atEnd = job + on.trimEnd();
    assert.equal((await edit(atEnd, last)).files[0]?.content, job + written.trimEnd());
  });

const triggers: [string, RegExp][] = [
  [`on: pull_request\n${job}`, /^It does not start on push now/],
  [`on:\n  <<: { push: }\n  pull_request:\n${job}`, /would not mean what it should/],
  [`on: &on [push, pull_request]\nenv: { ON: *on }\n${job}`, /anchor/],
  [`on: [push, # why\n  pull_request]\n${job}`, /more than a comma/],
  [`name: Base\non: push\n${job}`, /after.yml starts when this workflow completes/],
];
for (const [content, reason] of triggers)
  test(`leaves a trigger that is not certain: ${reason.source}`, async () => {
    const follower = {
      path: '.github/workflows/after.yml',
      content: 'on:\n  workflow_run:\n    workflows: [Base]\n',
    };
    const asked = { action: 'remove_trigger', path, events: ['push'] } as const;
    const files = [{ path, content }, follower];
    const { faults, ...edited } = await editGitHubWorkflows(files, asked, { repository: 'acme/api' });
    assert.deepEqual(edited.files, []);
    assert.match(faults[0]!.reason, reason);
  });

test('a duplicate stays if its twin is gone, or no longer starts on the events', async () => {
  const content = `on: [push, schedule]\n${job}`;
  const reasonOf = async (events: string[], twinPath: string) =>
    (await edit(content, { action: 'remove_duplicate', path, events, twin: twinPath })).faults[0]?.reason;
  assert.equal(await reasonOf(['push'], twin.path), undefined);
  for (const [event, other] of [
    ['schedule', twin.path],
    ['push', 'old.yml'],
  ] as const)
    assert.equal(
      await reasonOf([event], other),
      `These files do not show that ${other} starts on ${event}, as it did.`,
    );
});

const filter = "paths-ignore: ['**/*.md', '**/*.rst', '**/*.adoc', docs/**, LICENSE*]";
const skipped: [string, string][] = [
  ['on: pull_request # all\n', `on:\n  pull_request:\n    ${filter} # all\n`],
  [
    'on: [push, merge_group, pull_request]\n',
    `on:\n  push:\n    ${filter}\n  merge_group:\n  pull_request:\n    ${filter}\n`,
  ],
  ['on:\n# a\n- pull_request\n- issues\n', `on:\n# a\n  pull_request:\n    ${filter}\n  issues:\n`],
  [
    'on:\n  push: # x\n  pull_request:\n    # y\n    types: [opened]\n',
    `on:\n  push:\n    ${filter} # x\n  pull_request:\n    # y\n    types: [opened]\n    ${filter}\n`,
  ],
  ['on: { pull_request: { types: [opened] } }\n', `on: { pull_request: { ${filter}, types: [opened] } }\n`],
  [
    'on:\n  push:\n    tags: [v*]\n  pull_request:\n',
    `on:\n  push:\n    tags: [v*]\n  pull_request:\n    ${filter}\n`,
  ],
];
for (const [on, written] of skipped)
  test(`skips documentation on pull_request and on pushes to branches: ${JSON.stringify(on)}`, async () => {
    const { files, faults } = await edit(on + job, { action: 'skip_documentation', path });
    assert.deepEqual(faults, []);
    assert.equal(files[0]!.content, written + job);
  });

const filtered: [string, number, RegExp][] = [
  [`on:\n  pull_request:\n  push:\n    paths-ignore: [x]\n${job}`, 4, /^push has paths-ignore already/],
  [`on: [push, pull_request]\n${job}    environment: production\n`, 3, /^a may do more on pushes/],
  [`on: [push, pull_request]\n${job}    steps:\n      - if: github.ref == 'refs/heads/main'\n`, 3, /^a may/],
  [`on: [push, pull_request]\njobs:\n  a:\n    uses: acme/shared/.github/workflows/ci.yml@v1\n`, 3, /^a may/],
  [
    `on: [push, pull_request]\n${job}    steps:\n      - with: { push: "\${{ github.event_name != 'pull_request' }}" }\n`,
    3,
    /^a may/,
  ],
  [`on: [push, pull_request]\n${job}    steps:\n      - run: ./publish "$GITHUB_REF"\n`, 3, /^a may/],
];
for (const [content, line, reason] of filtered)
  test(`leaves a filter or push that is not certain, and changes the other event: ${reason.source}`, async () => {
    const { files, faults } = await edit(content, { action: 'skip_documentation', path });
    assert.deepEqual([faults[0]!.line, faults.length], [line, 1]);
    assert.match(faults[0]!.reason, reason);
    assert.equal(files[0]!.content.split("paths-ignore: ['").length, 2);
  });

test('leaves a file whose pull requests have a filter of paths', async () => {
  const content = `on:\n  push:\n  pull_request:\n    paths: [src/**]\n${job}`;
  const { files, faults } = await edit(content, { action: 'skip_documentation', path });
  assert.deepEqual(files, []);
  assert.deepEqual([faults[0]!.line, faults[0]!.reason], [4, 'pull_request has paths already.']);
});

test('leaves documentation on no event, in a list with comments, and a file that is not plain UTF-8', async () => {
  for (const [content, reason] of [
    [`on: [merge_group]\n${job}`, /^It starts neither/],
    [`on:\n  - push # why\n  - pull_request\n${job}`, /over several lines/],
    [`\uFEFFon: pull_request\n${job}`, /byte order mark/],
    [`on: pull_request\n${job}# caf\uFFFD\n`, /not UTF-8/],
  ] as const) {
    const { files, faults } = await edit(content, { action: 'skip_documentation', path });
    assert.deepEqual([files, faults.length, faults[0]!.path], [[], 1, path]);
    assert.match(faults[0]!.reason, reason);
  }
});

const superseded: [string, RegExp][] = [
  ['on: [push, workflow_call]\njobs:\n  a:\n    runs-on: x\n', /Other workflows call the file/],
  [`on: push\n${job}    environment: production\n`, /a deploys: a canceled deployment/],
  [`on: push\nconcurrency: ci\n${job}`, /same for all branches/],
  [`on: push\nconcurrency: {group: 'x-\${{ github.ref }}', cancel-in-progress: true}\n${job}`, /already/],
  [`on: push\nconcurrency: |\n  x-\${{ github.ref }}\n${job}`, /over several lines/],
  [`{ on: push, jobs: { a: { runs-on: x } } }\n`, /in braces/],
  ['on: push\n', /no jobs/],
  ['on: [push\n', /not valid YAML/],
];
for (const [content, reason] of superseded)
  test(`leaves the file where canceling is not safe: ${reason.source}`, async () => {
    const { files, faults } = await edit(content, { action: 'cancel_superseded_runs', path });
    assert.deepEqual(files, []);
    assert.match(faults[0]!.reason, reason);
  });

test('a file with thousands of steps or expressions takes no time', async () => {
  const steps = (step: string, times: number) =>
    `on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n${step.repeat(times)}`;
  const upload = '      - uses: actions/upload-artifact@v4\n        with: { path: x, name: y }\n';
  const kept = { action: 'shorten_retention', path, name: 'y', days: 7 } as const;
  const many = await edit(steps(upload, 3_000), kept);
  assert.deepEqual(
    [many.files, many.faults.map(({ reason }) => reason)],
    [[], ['It would change more than 100 places.']],
  );
  const saved = (key: string) =>
    `      - uses: actions/cache@v4\n        with: { path: x, key: '${key}x' }\n`;
  const cache = (name: string) => ({ action: 'cache_default_branch_only', name }) as const;
  const { faults } = await edit(steps(saved('deps-'), 2_000), cache('deps-x'));
  assert.equal(faults.length, 20);
  assert.equal(faults.at(-1)!.line, 2 * 2_000 + 4);
  const expressions = steps(saved('${{ a }}'.repeat(50)), 10);
  assert.match((await edit(expressions, cache('z'.repeat(500)))).faults[0]!.reason, /No step/);
});

test('a called workflow with a group of its own could be in the same group', async () => {
  const caller = { path, content: `on: push\njobs:\n  a:\n    uses: ./${called.path}\n` };
  const own = { ...called, content: `concurrency: \${{ github.workflow }}\n${called.content}` };
  const asked = { action: 'cancel_superseded_runs', path } as const;
  const { faults } = await editGitHubWorkflows([caller, own], asked, { repository: 'acme/api' });
  assert.deepEqual(
    faults.map(({ line, reason }) => [line, reason]),
    [[3, 'a calls a workflow with a group of its own, which can be the same.']],
  );
});

test('a limit or retention that is short enough stays, and a file or job that is gone is named', async () => {
  const content = `on: push\n${job}    timeout-minutes: 10\n    steps:\n      - uses: actions/upload-artifact@v4\n        with: {path: x, retention-days: 5}\n`;
  const limits = [{ job: 'a', minutes: 15 }];
  const reasonOf = async (asked: WorkflowEdit) => (await edit(content, asked)).faults[0]!.reason;
  assert.equal(
    await reasonOf({ action: 'limit_time', path, job: 'a', limits }),
    'Its limit is 10 minutes already.',
  );
  assert.equal(
    await reasonOf({ action: 'shorten_retention', path, name: 'artifact', days: 7 }),
    'It is kept 5 days already.',
  );
  assert.equal(
    await reasonOf({ action: 'limit_time', path, job: 'b', limits }),
    'The file has no job named b now.',
  );
  assert.equal(
    await reasonOf({ action: 'cancel_superseded_runs', path: '.github/workflows/old.yml' }),
    'The file does not exist.',
  );
});

/** What actionlint checks of the values that fixes write. */
function assertAccepted({ on, concurrency, jobs }: Parsed): void {
  const events = typeof on === 'string' ? [on] : Array.isArray(on) ? on : Object.keys(on);
  assert.ok(events.length > 0 && events.every((event) => /^[a-z_]+$/.test(String(event))));
  const crons = (on as { schedule?: { cron: string }[] }).schedule ?? [];
  for (const { cron } of crons) assert.equal(cron.split(' ').length, 5);
  if (typeof concurrency === 'object') {
    assert.deepEqual(Object.keys(concurrency).toSorted(), ['cancel-in-progress', 'group']);
    assert.ok(typeof concurrency.group === 'string' && concurrency.group !== '');
    const cancel = concurrency['cancel-in-progress'];
    assert.ok(typeof cancel === 'boolean' || /^\$\{\{ .+ \}\}$/.test(String(cancel)));
  }
  for (const { steps, uses, 'timeout-minutes': minutes } of Object.values(jobs)) {
    assert.ok(
      minutes === undefined || typeof minutes === 'string' || (uses === undefined && Number(minutes) > 0),
    );
    for (const step of steps ?? []) {
      assert.ok(step.if === undefined || typeof step.if === 'string');
      assert.equal(Number(step.uses !== undefined) + Number(step.run !== undefined), 1);
    }
  }
}

type Parsed = {
  on: string | unknown[] | object;
  concurrency?: string | { group?: unknown; 'cancel-in-progress'?: unknown };
  jobs: Record<
    string,
    { uses?: string; 'timeout-minutes'?: unknown; steps?: { if?: unknown; uses?: string; run?: string }[] }
  >;
};
