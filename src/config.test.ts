import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readClientSettings, readConfig } from './config.ts';

test('a switch accepts the usual words, and no others', () => {
  const expected: [word: string, value: boolean][] = [
    ...['true', '1', 'yes', 'on', 'TRUE', 'Yes', 'oN', ' 1 '].map(
      (word) => [word, true] as [string, boolean],
    ),
    ...['false', '0', 'no', 'off', 'False', 'OFF', ''].map((word) => [word, false] as [string, boolean]),
  ];
  for (const [word, value] of expected) {
    assert.equal(readConfig({ EGRESS_ALLOW_HTTP: word }).egress.allowHttp, value, word);
  }
  for (const word of ['2', 'y', 'enabled', 'constructor', '-1']) {
    const fault = new RegExp(`EGRESS_ALLOW_HTTP must be true or false .*, not ${word}$`);
    assert.throws(() => readConfig({ EGRESS_ALLOW_HTTP: word }), fault);
  }
});

test("an issuer of Entra for all tenants is refused by name, and one's own is not", () => {
  const read = (tenant: string) => () =>
    readConfig({
      OIDC_ISSUER: `https://login.microsoftonline.com/${tenant}/v2.0`,
      OIDC_CLIENT_ID: 'runcost',
      OIDC_CLIENT_SECRET: 'kept-secret',
    });
  assert.throws(read('common'), /OIDC_ISSUER must have the id of your own tenant in place of "common"/);
  assert.equal(read('3f1d2c60-58a4-4c3b-9d0e-7a61b0c4e2f5')().signIn.providers.length, 1);
});

test('an error repeats no password of an address, and no secret', () => {
  for (const [name, text] of [
    ['RUNCOST_URL', 'https://ada:hidden@runcost.example.com'],
    ['RUNCOST_URL', 'https://:hidden@runcost.example.com'],
    ['RUNCOST_URL', 'ada:hidden@runcost.example.com'],
    ['PUBLIC_URL', 'htps://ada:hidden@runcost.example.com'],
    ['STORAGE_SECRET_KEY', 'hid den hidden'],
  ] as const)
    assert.throws(
      () => (name === 'PUBLIC_URL' ? readConfig : readClientSettings)({ [name]: text }),
      (error: Error) => error.message.includes(`${name} must be`) && !error.message.includes('hidden'),
      text,
    );
});

test('a retention is one number of days, or one for each plan that has a limit', () => {
  const read = (text: string) => readConfig({ RETENTION_DAYS: text }).retentionDays;
  assert.deepEqual(read(''), {});
  assert.deepEqual(read('400'), { free: 400, pro: 400, team: 400 });
  assert.deepEqual(read('free=90, pro=400'), { free: 90, pro: 400 });
  for (const text of [
    '89',
    'free=89',
    'gold=400',
    'free',
    'free=',
    'free=90,',
    'free=90,free=91',
    'free=90=1',
  ])
    assert.throws(
      () => read(text),
      /RETENTION_DAYS must be a whole number of days from 90, or by plan/,
      text,
    );
});
