import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createOwners, type Mapping, type Owned } from './owners.ts';

const days = { start: '2026-01-01', end: '2026-12-31' };
const mapping: Mapping = {
  kind: 'team',
  owner: 'Platform',
  repository: null,
  workflow: null,
  label: null,
  validFrom: null,
  validUntil: null,
};
const job: Owned = {
  repository: 'acme/api',
  workflowId: 'wf_1',
  workflowName: 'Deploy',
  labels: ['self-hosted', 'gpu-a100'],
  day: '2026-03-17',
};

function ownerOf(mappings: Partial<Mapping>[], changes: Partial<Owned> = {}): string | null {
  const all = mappings.map((each) => ({ ...mapping, ...each }));
  return createOwners(all, 'team', days).of({ ...job, ...changes });
}

test('a pattern matches as in a filter of the cost query', () => {
  const cases: [patterns: Partial<Mapping>, matches: boolean][] = [
    [{ repository: 'Acme/API' }, true],
    [{ repository: 'acme/*' }, true],
    [{ repository: '*/A*' }, true],
    [{ repository: '=ACME/api' }, true],
    [{ repository: '=acme/*' }, false],
    [{ repository: 'api' }, false],
    [{ workflow: 'wf_1' }, true],
    [{ workflow: 'De*' }, true],
    [{ workflow: 'deploy' }, false],
    [{ label: 'GPU-*' }, true],
    [{ label: 'self-hosted' }, true],
    [{ label: 'self-hosted, gpu-a100' }, false],
    [{ repository: 'acme/api', workflow: 'Deploy', label: 'gpu-*' }, true],
    [{ repository: 'acme/api', workflow: 'Build', label: 'gpu-*' }, false],
  ];
  for (const [patterns, matches] of cases)
    assert.equal(ownerOf([patterns]), matches ? 'Platform' : null, JSON.stringify(patterns));
});

test('the first rule that holds on the day decides, whether it names the repository or has a star', () => {
  const rules = [
    { repository: 'acme/api', owner: 'Old', validUntil: '2026-03-16' },
    { repository: 'acme/*', owner: 'All' },
    { repository: 'acme/api', owner: 'New', validFrom: '2026-03-17' },
  ];
  assert.equal(ownerOf(rules, { day: '2026-03-16' }), 'Old');
  assert.equal(ownerOf(rules, { day: '2026-03-17' }), 'All');
  assert.equal(ownerOf(rules.toReversed(), { day: '2026-03-17' }), 'New');
  assert.equal(ownerOf([rules[2]!], { day: '2026-03-16' }), null);
});

test('only the patterns of rules that hold on the asked days need to be looked up', () => {
  const rules: Mapping[] = [
    { ...mapping, workflow: 'Deploy', validUntil: '2025-12-31' },
    { ...mapping, label: 'gpu', kind: 'cost_center' },
    { ...mapping, repository: 'acme/api' },
  ];
  const { readsWorkflows, readsLabels } = createOwners(rules, 'team', days);
  assert.deepEqual([readsWorkflows, readsLabels], [false, false]);
  assert.equal(createOwners(rules, 'cost_center', days).readsLabels, true);
});

const names = ['acme/api', 'acme/web', 'acme/ops', 'other/api'];
const anyDay = fc.integer({ min: 10, max: 28 }).map((day) => `2026-03-${day}`);
const anyMapping: fc.Arbitrary<Mapping> = fc.record({
  kind: fc.constantFrom('team', 'cost_center'),
  owner: fc.constantFrom('Platform', 'Web', 'Ops'),
  repository: fc.constantFrom(...names, 'acme/*', '*api', null),
  workflow: fc.constantFrom('Deploy', 'Build', 'B*', null),
  label: fc.constantFrom('x64', 'gpu*', null),
  validFrom: fc.option(anyDay),
  validUntil: fc.option(anyDay),
});
const anyJob: fc.Arbitrary<Owned> = fc.record({
  repository: fc.constantFrom(...names),
  workflowId: fc.constant('wf_1'),
  workflowName: fc.constantFrom('Deploy', 'Build'),
  labels: fc.subarray(['x64', 'gpu-a100']),
  day: anyDay,
});

test('many rules with dates agree with trying them one by one', () => {
  const fits = (pattern: string | null, texts: readonly string[]) =>
    pattern === null || texts.some((text) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(text));
  fc.assert(
    fc.property(fc.array(anyMapping, { maxLength: 30 }), fc.array(anyJob, { minLength: 1 }), (all, jobs) => {
      const owners = createOwners(all, 'team', days);
      for (const each of jobs) {
        const rule = all.find(
          ({ kind, validFrom, validUntil, repository, workflow, label }) =>
            kind === 'team' &&
            (validFrom ?? '') <= each.day &&
            (validUntil ?? '9') >= each.day &&
            fits(repository, [each.repository]) &&
            fits(workflow, [each.workflowName]) &&
            fits(label, each.labels),
        );
        assert.equal(owners.of(each), rule?.owner ?? null);
      }
    }),
  );
});
