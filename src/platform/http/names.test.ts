import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedTestApp } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';

const testApp = await sharedTestApp();
const organization = await testApp.newOrganization();

let made = 0;
const email = () => `member-${++made}@acme.example`;
const { id: memberId } = (await organization.send('POST', '/api/v1/members', { email: email() })).body.data;

/** Where a resource gets its name, and what else the request needs. */
const places: ['POST' | 'PUT', string, () => object][] = [
  ['PUT', '/api/v1/organization', () => ({})],
  ['POST', '/api/v1/members', () => ({ email: email() })],
  ['PUT', `/api/v1/members/${memberId}`, () => ({})],
  ['POST', '/api/v1/tokens', () => ({ role: 'viewer' })],
  ['POST', '/api/v1/sources', () => ({ kind: 'github' })],
  [
    'POST',
    `/api/v1/alerts?org_id=${organization.orgId}`,
    () => ({ alert_type: 'budget', threshold_amount: 10 }),
  ],
];

/** Where more rules apply, such as unique names. */
const narrowPlaces: typeof places = [
  ['POST', '/api/v1/pricing/books', () => ({ based_on: 'github-2026' })],
  ['POST', '/api/v1/pricing/rules', () => ({ match: 'label', pattern: 'x', usd_per_minute: 0.01 })],
];

const blanks = [
  '',
  ' ',
  '   ',
  '	\r\n',
  '\xA0 　',
  '\u2028',
  '\x07',
  '​',
  '‎‏',
  '‪‮',
  '⁠⁩',
  '﻿',
  '؜',
  '­',
  'ㅤ',
  ' ‍ ️ ',
  '‮'.repeat(255),
];

describe('a name without a visible character is refused', () => {
  for (const [method, path, fields] of [...places, ...narrowPlaces]) {
    test(`${method} ${path.replace(memberId, '{id}')}`, async () => {
      for (const name of blanks) {
        const answer = await organization.send(method, path, { ...fields(), name });
        assertProblem(answer, 400, 'invalid_request', ['body.name']);
        assert.match(
          answer.body.detail,
          /^body\.name must not (be (blank|empty)$|contain)/,
          JSON.stringify(name),
        );
      }
    });
  }

  test("as an organization's login too", async () => {
    const answer = await organization.send('PUT', '/api/v1/organization', { login: ' \u200B' });
    assertProblem(answer, 400, 'invalid_request', ['body.login']);
    assert.equal(answer.body.detail, 'body.login must not be blank');
  });
});

describe('a name with a control character, a line break or a mark of text direction is refused', () => {
  const refused = ['	', '\n', '\r', '', '\x1B[31m', '', '', '', '\u2028', '\u2029', '‪', '‮', '⁦', '⁩'];
  for (const [method, path, fields] of [...places, ...narrowPlaces]) {
    test(`${method} ${path.replace(memberId, '{id}')}`, async () => {
      for (const character of refused) {
        const answer = await organization.send(method, path, { ...fields(), name: `a${character}b` });
        assertProblem(answer, 400, 'invalid_request', ['body.name']);
        assert.match(answer.body.detail, /^body\.name must not contain line breaks, control characters/);
      }
    });
  }

  test("as an organization's login and as the name of a previewed rule too", async () => {
    const login = await organization.send('PUT', '/api/v1/organization', { login: 'a\nb' });
    assertProblem(login, 400, 'invalid_request', ['body.login']);
    const rule = { match: 'label', pattern: 'x', usd_per_minute: 0.01, name: 'a\u202Eb' };
    const tried = await organization.send('POST', '/api/v1/pricing/what-if', { rules: [rule] });
    assertProblem(tried, 400, 'invalid_request', ['body.rules[0].name']);
  });
});

test('a name with any visible character is kept unchanged, and null removes it', async () => {
  for (const name of [
    'x',
    ' x ',
    '.',
    '0',
    '統',
    '🚀',
    'é',
    'a\u200Db',
    '👩\u200D💻',
    'کتاب\u200Cها',
    'עלות\u200F',
  ]) {
    for (const [method, path, fields] of places) {
      const answer = await organization.send(method, path, { ...fields(), name });
      assert.ok([200, 201].includes(answer.status), answer.text);
      assert.equal((answer.body.data ?? answer.body).name, name);
    }
  }
  const path = `/api/v1/members/${memberId}`;
  assert.equal((await organization.send('PUT', path, { name: null })).body.data.name, null);
  const login = await organization.send('PUT', '/api/v1/organization', { login: null });
  assert.equal(login.body.data.login, null);
});
