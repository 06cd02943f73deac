import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { includedFiles, readGitLabPipeline } from './plan.ts';

const planOf = (files: Record<string, string>) =>
  readGitLabPipeline(Object.entries(files).map(([path, content]) => ({ path, content })));

// Shaped like pipelines of Inkscape and GNOME: hidden templates, local includes, and a matrix of systems.
const pipeline = `
include:
  - local: /ci/*.yml
  - project: group/templates
    file: build.yml
default: { tags: [saas-linux-medium-amd64], timeout: 1h }
variables: { SIZE: large }
.build: { timeout: 30 minutes, script: [make] }
build:
  extends: .build
  tags: [saas-linux-$SIZE-amd64]
unit: { parallel: 2, script: [make check] }
package:
  inherit: { default: false }
  tags: ["saas-$SYSTEM-medium"]
  rules: [{ if: $CI_COMMIT_TAG }]
  parallel: { matrix: [{ SYSTEM: [windows, macos], MODE: debug }] }
deploy: { when: manual, tags: [$RUNNER] }
child: { trigger: group/other }
`;

test('a pipeline has the jobs, tags and gaps that its files say', async () => {
  const { workflows, unresolved } = await planOf({
    '.gitlab-ci.yml': pipeline,
    'ci/docs.yml': 'docs: { extends: .build, interruptible: true }\nunit: { parallel: 5 }',
    'ci/deep/more.yml': 'never: { script: [x] }',
  });
  const [workflow] = workflows;
  assert.deepEqual(
    workflow!.jobs.map(({ name, labels, timeout }) => [name, labels?.join() ?? null, timeout]),
    [
      ['docs', 'saas-linux-medium-amd64', '30 minutes'],
      ['unit 1/2', 'saas-linux-medium-amd64', '1h'],
      ['unit 2/2', 'saas-linux-medium-amd64', '1h'],
      ['build', 'saas-linux-large-amd64', '30 minutes'],
      ['package: [windows, debug]', 'saas-windows-medium', null],
      ['package: [macos, debug]', 'saas-macos-medium', null],
      ['deploy', null, '1h'],
    ],
  );
  assert.deepEqual(
    unresolved.map(({ job, reason }) => [job, reason]),
    [
      [null, 'It includes group/templates, which is not in the repository.'],
      ['deploy', 'Its runner is chosen when it runs.'],
      ['child', 'It starts another pipeline, which is not counted.'],
    ],
  );
  assert.equal(workflow!.triggers, null);
  assert.ok(workflow!.cancelsSuperseded);
  assert.deepEqual(
    workflow!.jobs
      .filter(({ condition, startedByHand }) => condition !== null || startedByHand)
      .map(({ key }) => key),
    ['package', 'package', 'deploy'],
  );
});

test('includes of a file are found among the paths of the repository', () => {
  const file = {
    path: '.gitlab-ci.yml',
    content: "include: ['/ci/**.yml', 'a.yml', 'https://example.com/b.yml']",
  };
  const paths = ['a.yml', 'b.yml', 'ci/c.yml', 'ci/deep/d.yml', 'ci/e.yaml'];
  assert.deepEqual(includedFiles(file, paths), ['ci/c.yml', 'ci/deep/d.yml', 'a.yml']);
});

test('wildcards of includes match what GitLab matches, also in hostile patterns', () => {
  const included = (pattern: string, path: string) =>
    includedFiles({ path: '.gitlab-ci.yml', content: `include: '${pattern}'` }, [path]).length === 1;
  const cases: [string, string, boolean][] = [
    ['ci/**/build.yml', 'ci/a/build.yml', true],
    ['ci/**/build.yml', 'ci/rebuild.yml', false],
    ['services/*/ci.yml', 'services/api/ci.yml', true],
    ['services/*/ci.yml', 'services/api/docker-ci.yml', false],
    ['services/*/ci.yml', 'services/a/b/ci.yml', false],
  ];
  for (const [pattern, path, expected] of cases) assert.equal(included(pattern, path), expected, path);
  const textOf = (...parts: string[]) =>
    fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 9 }).map((all) => all.join(''));
  fc.assert(
    fc.property(textOf('a', 'b', '/', '*', '**'), textOf('a', 'b', '/'), (wildcards, text) => {
      const pattern = wildcards.replaceAll('**', '.*').replaceAll(/(?<!\.)\*/g, '[^/]*');
      assert.equal(included(`x${wildcards}`, `x${text}`), new RegExp(`^x${pattern}$`).test(`x${text}`));
    }),
    { numRuns: 2_000 },
  );
  assert.ok(!included(`**${'*a'.repeat(150)}*b`, `${'a'.repeat(5_000)}/${'a/'.repeat(5_000)}`));
  assert.ok(!included(`x${'**a*a'.repeat(90)}b/*c`, `x${'a'.repeat(5_000)}${'/a'.repeat(5_000)}b/`));
});

test('circles, missing templates and any text become gaps', async () => {
  const { workflows, unresolved } = await planOf({
    '.gitlab-ci.yml':
      'include: .gitlab-ci.yml\na: { extends: b }\nb: { extends: a }\nc: { parallel: 900, script: x }',
  });
  assert.deepEqual(
    workflows[0]!.jobs.map(({ name }) => name),
    ['c'],
  );
  assert.equal(unresolved.length, 3);
  const line = fc.constantFrom(
    'include: x.yml',
    'a:',
    '  extends: a',
    '  parallel: {matrix: [1]}',
    '  tags: [$X]',
    '- b',
    '"',
    '*a',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string(),
        fc.array(line).map((lines) => lines.join('\n')),
      ),
      async (content) => {
        await planOf({ '.gitlab-ci.yml': content, 'x.yml': content });
      },
    ),
  );
});

test('a small file cannot ask for a lot of work', async () => {
  const file = async (...lines: string[]) => planOf({ '.gitlab-ci.yml': lines.join('\n') });
  const chain = Array.from(
    { length: 10 },
    (_, index) => `j${index}: { extends: [${Array.from({ length: 40 }, () => `j${index + 1}`).join(', ')}] }`,
  );
  assert.equal((await file(...chain, 'j10: { script: x }')).workflows[0]!.jobs.length, 11);
  const circle = `j: { extends: [${Array.from({ length: 40 }, () => 'j').join(', ')}] }`;
  assert.match((await file(circle)).unresolved[0]!.reason, /extends a job/);
  const keys = Array.from({ length: 4_000 }, (_, index) => `k${index}: 1`).join(', ');
  const heavy = Array.from({ length: 2_000 }, (_, index) => `h${index}: { extends: .base }`);
  assert.match((await file(`.base: { ${keys} }`, ...heavy)).unresolved[0]!.reason, /too large together/);
  const axis = `[${Array.from({ length: 200 }, (_, index) => index).join(', ')}]`;
  const empty = await file(`a: { parallel: { matrix: [{ A: ${axis}, B: ${axis}, C: ${axis}, D: [] }] } }`);
  assert.match(empty.unresolved[0]!.reason, /`parallel` cannot be read/);
  const many = await file(...Array.from({ length: 9_000 }, (_, index) => `m${index}: { parallel: 200 }`));
  assert.equal(many.workflows[0]!.jobs.length, 2_000);
  const grown = await file(`variables: { A: ${'x'.repeat(200)} }`, `a: { tags: ["${'$A'.repeat(100)}"] }`);
  assert.equal(grown.workflows[0]!.jobs[0]!.labels, null);
});
