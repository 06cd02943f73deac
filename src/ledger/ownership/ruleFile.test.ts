import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { request, sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/ownership/csv';
const heading = 'kind,owner,repository,workflow,label,valid_from,valid_until';
const fileOf = (...lines: string[]) => [heading, ...lines, ''].join('\r\n');

function put(organization: TestOrganization, csv: string, query = '', token = organization.token) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv' };
  return request(testApp.server, { method: 'PUT', url: path + query, headers, payload: csv });
}

async function replace(organization: TestOrganization, csv: string, query = '') {
  const answer = await put(organization, csv, query);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

const rulesOf = async (organization: TestOrganization) =>
  (await organization.get('/api/v1/ownership/rules', { per_page: 100 })).body.data;

test('spaces around names are no part of them, so that the exported file is that of the rules', async () => {
  const organization = await testApp.newOrganization();
  const rule = { kind: 'team', owner: ' Web ', repository: 'acme/web ' };
  const { body } = await organization.send('POST', '/api/v1/ownership/rules', rule);
  assert.deepEqual([body.data.owner, body.data.repository], ['Web', 'acme/web']);
  const exported = (await organization.get(path)).text;
  assert.deepEqual((await replace(organization, exported)).changes, []);
});

test('a file replaces the rules, in its order, and rules that stay keep their ids', async () => {
  const organization = await testApp.newOrganization();
  const first = fileOf(
    'team,Platform,acme/api-*,,,2026-01-01,',
    'cost_center,CC-1,,Deploy,,,',
    'team,"Web, Mobile",,,gpu,,2026-03-31',
  );
  const added = await replace(organization, first);
  assert.deepEqual(
    [added.rules, added.added, added.removed, added.unchanged, added.is_reordered],
    [3, 3, 0, 0, false],
  );
  const before = await rulesOf(organization);
  assert.deepEqual((await organization.get(path)).text, first);
  const second = fileOf(
    'team,"Web, Mobile",,,gpu,,2026-03-31',
    'team,Platform,acme/api-*,,,2026-01-01,',
    'team,Ops,acme/*,,,,',
  );
  const changed = await replace(organization, second);
  assert.deepEqual(
    [changed.rules, changed.added, changed.removed, changed.unchanged, changed.is_reordered],
    [3, 1, 1, 2, true],
  );
  assert.deepEqual(
    changed.changes.map(({ change, owner }: Record<string, string>) => [change, owner]),
    [
      ['remove', 'CC-1'],
      ['add', 'Ops'],
    ],
  );
  const after = await rulesOf(organization);
  assert.deepEqual([after[0].id, after[1].id], [before[2].id, before[0].id]);
  assert.deepEqual((await replace(organization, second)).changes, []);
  const { body } = await organization.get('/api/v1/audit-log');
  assert.deepEqual(
    body.data
      .map(({ action, details }: { action: string; details: object }) => [action, details])
      .slice(0, 2),
    [
      ['ownership.import', { added: 1, removed: 1, unchanged: 2, is_reordered: true }],
      ['ownership.import', { added: 3, removed: 0, unchanged: 0 }],
    ],
  );
});

test('a dry run says what would change, and changes nothing', async () => {
  const organization = await testApp.newOrganization();
  await replace(organization, fileOf('team,Platform,acme/api,,,,'));
  const before = await rulesOf(organization);
  const asked = await replace(organization, fileOf('team,Web,acme/web,,,,'), '?dry_run=true');
  assert.deepEqual([asked.dry_run, asked.added, asked.removed], [true, 1, 1]);
  assert.deepEqual(await rulesOf(organization), before);
});

test('columns come in any order, and those that are not needed can be left out', async () => {
  const organization = await testApp.newOrganization();
  await replace(organization, '\uFEFFRepository,Owner,kind\nacme/api, Platform ,team\n\n');
  const [{ owner, repository, label }] = await rulesOf(organization);
  assert.deepEqual([owner, repository, label], ['Platform', 'acme/api', null]);
  for (const separator of [';', '\t']) {
    const cells = ['kind;owner;label', 'team;"Web, Mobile";gpu'].join('\n').replaceAll(';', separator);
    assert.deepEqual((await replace(organization, cells)).added, 1);
    await replace(organization, fileOf('team,Platform,acme/api,,,,'));
  }
});

test('a heading only removes all rules if the request confirms it', async () => {
  const organization = await testApp.newOrganization();
  await replace(organization, fileOf());
  await replace(organization, fileOf('team,X,a,,,,', 'team,X,b,,,,'));
  const answer = await put(organization, fileOf());
  assertProblem(answer, 400, 'invalid_request', ['line 1']);
  assert.match(answer.body.detail, /would remove all 2 rules: confirm it with remove_all/);
  assert.equal((await replace(organization, fileOf(), '?dry_run=true')).removed, 2);
  assert.equal((await rulesOf(organization)).length, 2);
  assert.equal((await replace(organization, fileOf(), '?remove_all=true')).removed, 2);
});

describe('a file is refused as a whole, by line and field', () => {
  const faults: [why: string, file: string, paths: string[], message: RegExp][] = [
    ['empty', ' ', ['line 1'], /lacks|heading/],
    ['with semicolons and commas', 'kind;owner,label', ['line 1'], /"kind;owner"/],
    ['with an unknown column', 'kind,owner,repo', ['line 1'], /"repo".*did you mean repository/],
    ['with a column twice', 'kind,owner,owner', ['line 1'], /owner twice/],
    ['without a needed column', 'kind,repository', ['line 1'], /lacks the column owner/],
    [
      'with the name of unowned costs',
      fileOf('team,UNOWNED,acme/api,,,,', 'cost_center,unowned,acme/api,,,,'),
      ['line 2, owner', 'line 3, owner'],
      /must not be unowned: that is the name of costs without an owner/,
    ],
    [
      'with faults in several lines',
      fileOf('team,Platform,acme/api,,,,', 'squad,X,a,,,,', 'team,,a,,,,', 'team,X,,,,,', 'team,X,!a,,,,'),
      ['line 3, kind', 'line 4, owner', 'line 5, repository', 'line 6, repository'],
      /must be team or cost_center \(and 3 more faults\)/,
    ],
    [
      'with days that are none',
      fileOf('team,X,a,,,1/31/2026,', 'team,X,a,,,,2026-02-30', 'team,X,a,,,2026-02-02,2026-02-01'),
      ['line 2, valid_from', 'line 3, valid_until', 'line 4, valid_until'],
      /a day such as 2026-01-31/,
    ],
    ['with too few cells', fileOf('team,X,a'), ['line 2'], /3 cells, and the heading has 7 columns/],
    ['with an open quote', fileOf('team,"X,a,,,,'), ['line 3'], /not valid CSV/],
    [
      'with a rule that would never apply',
      fileOf('team,X,acme/api,,,,', '', 'team,Y,ACME/api,,,2026-01-01,'),
      ['line 4'],
      /would never apply: line 2 .* X/,
    ],
  ];
  for (const [why, file, paths, message] of faults) {
    test(why, async () => {
      const organization = await testApp.newOrganization();
      await replace(organization, fileOf('team,Old,acme/old,,,,'));
      const answer = await put(organization, file);
      assertProblem(answer, 400, 'invalid_request', paths);
      assert.match(answer.body.detail, message);
      assert.equal((await rulesOf(organization))[0].owner, 'Old');
    });
  }
});

test('too many rules, another content type and unknown parameters are refused', async () => {
  const organization = await testApp.newOrganization();
  const many = Array.from({ length: 10_001 }, (_, index) => `team,X,acme/${index},,,,`);
  assertProblem(await put(organization, fileOf(...many)), 409, 'too_many_ownership_rules');
  assert.equal((await replace(organization, fileOf(...many.slice(1)), '?dry_run=true')).added, 10_000);
  assert.equal((await organization.send('PUT', path, {})).status, 415);
  assertProblem(await put(organization, fileOf(), '?dry=1'), 400, 'invalid_request', ['query.dry']);
  assert.equal((await put(organization, 'x'.repeat(4 * 1024 * 1024 + 1))).status, 413);
});

test('a viewer downloads the file, only an admin replaces it, and nobody another one', async () => {
  const organization = await testApp.newOrganization();
  const stranger = await testApp.newOrganization();
  await replace(organization, fileOf('team,Platform,acme/api,,,,'));
  const viewer = await organization.newToken('viewer', ['costs:read']);
  const headers = { authorization: `Bearer ${viewer}` };
  const answer = await request(testApp.server, { method: 'GET', url: path, headers });
  assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8; header=present');
  assert.match(String(answer.headers['content-disposition']), /runcost-ownership\.csv/);
  assert.match(answer.text, /Platform/);
  assert.equal((await put(organization, fileOf(), '', await organization.newToken('member'))).status, 403);
  assert.doesNotMatch((await stranger.get(path)).text, /Platform/);
  await replace(stranger, fileOf());
  assert.equal((await rulesOf(organization)).length, 1);
});

const anyText = fc
  .array(fc.constantFrom('=', '+', '-', '@', ';', ',', '"', 'a', 'B', ' x', '*', 'é'), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join('').trim())
  .filter((text) => text !== '');
const anyDay = fc.constantFrom('2026-01-01', '2026-03-31', null);
const anyRule = fc.record({
  kind: fc.constantFrom('team', 'cost_center'),
  owner: anyText,
  repository: anyText,
  workflow: fc.option(anyText),
  label: fc.option(anyText),
  valid_from: fc.constantFrom('2025-01-01', '2026-01-01', null),
  valid_until: anyDay,
});

test('a pattern that begins as a formula does not become one in a spreadsheet', async () => {
  const organization = await testApp.newOrganization();
  await replace(organization, fileOf('team,@web,=acme/*,,,,'));
  const [{ owner, repository }] = await rulesOf(organization);
  assert.deepEqual([owner, repository], ['@web', '=acme/*']);
  assert.match((await organization.get(path)).text, /\nteam,'@web,'=acme\/\*,/);
});

test('a downloaded file, sent back, changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRule, { minLength: 1, maxLength: 5 }), async (rules) => {
      const organization = await testApp.newOrganization();
      for (const rule of rules) await organization.send('POST', '/api/v1/ownership/rules', rule);
      const before = await rulesOf(organization);
      const { text } = await organization.get(path);
      const { added, removed, unchanged } = await replace(organization, text);
      assert.deepEqual([added, removed, unchanged], [0, 0, before.length], text);
      assert.deepEqual(await rulesOf(organization), before);
    }),
    { numRuns: 25 },
  );
});
