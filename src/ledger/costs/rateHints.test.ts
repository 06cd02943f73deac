import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { providers } from '../../../test/harness/priceLists.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { readPattern } from '../pricing/linearPattern.ts';
import { beginning } from '../pricing/priceBook.ts';

const testApp = await startTestApp();
testApp.clock.set('2026-11-30T12:00:00Z');
const path = '/api/v1/pricing/hints';

const onDay = (day: string, label: string) =>
  newRun({
    provider: 'github',
    created_at: `${day}T10:00:00Z`,
    started_at: `${day}T10:00:00Z`,
    jobs: [newJob({ labels: [label], started_at: `${day}T10:00:00Z`, completed_at: `${day}T10:05:00Z` })],
  });

async function costOf(organization: TestOrganization, run: ReturnType<typeof onDay>) {
  const { body } = await submit(organization, run);
  const { data } = (await organization.get(`/api/v1/runs/${body.data.results[0].id}`)).body;
  return data.jobs[0].receipt.cost;
}

test('a hint prices nothing before somebody accepts it; then it is a rule with its dated rates', async () => {
  const organization = await testApp.newOrganization();
  const label = 'ubicloud-standard-2';
  assert.equal(await costOf(organization, onDay('2026-11-20', label)), 0);
  const [hint, next] = (await organization.get(path)).body.data;
  assert.deepEqual(
    [hint.id, hint.labels, hint.minutes, hint.usd_per_minute, hint.rule_id, hint.checked_on],
    ['ubicloud_standard_2', [label], 5, 0.001_25, null, '2026-11-28'],
  );
  assert.deepEqual([next.minutes, next.labels], [0, []]);
  assert.equal(await costOf(organization, onDay('2026-11-21', label)), 0);
  const accepted = await organization.send('POST', `${path}/${hint.id}/accept`);
  assert.equal(accepted.status, 201);
  assert.deepEqual(
    [accepted.body.data.usd_per_minute, accepted.body.data.later_rates],
    [0.001, [{ effective_from: '2026-09-01', usd_per_minute: 0.001_25 }]],
  );
  assert.equal(await costOf(organization, onDay('2026-11-22', label)), 0.006_25);
  assert.equal(await costOf(organization, onDay('2026-08-31', label)), 0.005);
  assert.equal((await organization.get(path)).body.data[0].rule_id, accepted.body.data.id);
});

test('a company without a known rate has a note, and cannot be accepted', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, onDay('2026-11-20', 'namespace-profile-default'));
  const [hint] = (await organization.get(path)).body.data;
  assert.deepEqual([hint.company, hint.usd_per_minute, hint.rates], ['Namespace', null, []]);
  assertProblem(await organization.send('POST', `${path}/${hint.id}/accept`), 409, 'rate_unknown');
});

test('needs an admin; an unknown hint is 404, and the same twice is 409', async () => {
  const organization = await testApp.newOrganization();
  const accept = `${path}/blacksmith_2vcpu_ubuntu/accept`;
  const viewer = await organization.newToken('viewer');
  assertProblem(await organization.send('POST', accept, {}, viewer), 403, 'role_too_low');
  assertProblem(await organization.send('POST', `${path}/acme/accept`), 404, 'rate_hint_not_found');
  assert.equal((await organization.send('POST', accept)).status, 201);
  assertProblem(await organization.send('POST', accept), 409, 'price_rule_exists');
  const stranger = await testApp.newOrganization();
  const rules = (await stranger.get(path)).body.data.map((each: { rule_id: string | null }) => each.rule_id);
  assert.ok(rules.every((id: string | null) => id === null));
});

test('every shipped hint has its own id, a valid pattern, a source and a day, and rates in order', () => {
  const hints = providers.list.flatMap(({ rateHints }) => rateHints);
  assert.equal(new Set(hints.map(({ id }) => id)).size, hints.length);
  for (const { id, pattern, source, checkedOn, rates } of hints) {
    assert.ok('matches' in readPattern(pattern), id);
    assert.match(source, /^https:\/\//, id);
    assert.match(checkedOn, /^2026-/, id);
    const days = rates.map(({ effectiveFrom }) => effectiveFrom);
    assert.deepEqual(days, days.toSorted(), id);
    assert.ok(days.length === 0 || days[0] === beginning, id);
  }
});

const examples: [label: string, id: string][] = [
  ['blacksmith-4vcpu-ubuntu-2404', 'blacksmith_4vcpu_ubuntu'],
  ['blacksmith-2vcpu-ubuntu-2204-arm', 'blacksmith_2vcpu_ubuntu_arm'],
  ['depot-ubuntu-24.04', 'depot_ubuntu_2'],
  ['depot-ubuntu-24.04-4', 'depot_ubuntu_4'],
  ['ubicloud-standard-2', 'ubicloud_standard_2'],
  ['warp-ubuntu-latest-x64-2x', 'warpbuild_x64_2x'],
  ['nscloud-ubuntu-22.04-amd64-4x16', 'namespace'],
  ['runs-on=1234', 'runs-on'],
];
for (const [label, id] of examples) {
  test(`${label} has the hint ${id} alone`, () => {
    const hints = providers.list.flatMap(({ rateHints }) => rateHints);
    const found = hints.filter(({ pattern }) => {
      const read = readPattern(pattern);
      return 'matches' in read && read.matches(label);
    });
    assert.deepEqual(
      found.map((hint) => hint.id),
      [id],
    );
  });
}
