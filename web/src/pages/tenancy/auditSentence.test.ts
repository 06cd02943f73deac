import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { kinds, placeOf, sentenceOf } from './auditSentence.ts';

const names = new Map([
  ['mem_1', 'Ana'],
  ['tok_1', 'Grafana'],
  ['book_1', 'Ours'],
  ['alert_1', 'Budget'],
  ['hook_1', 'hooks.acme.test'],
  ['src_1', 'acme'],
  ['shr_2', 'For the board'],
]);
const sentence = (action: string, target: string, details: Record<string, unknown> = {}) =>
  sentenceOf({ actor: 'cli', action, target, details }, names);

test('each kind of entry reads as a sentence', () => {
  const price = (nanosPerMinute: string) => ({
    runnerKind: 'linux_2_core',
    effectiveFrom: '1970-01-01',
    nanosPerMinute,
  });
  for (const [action, target, details, expected] of [
    [
      'price_rule.update',
      'rule',
      { pattern: 'ubuntu-latest', usd_per_minute: 0.006, before: { usd_per_minute: 0.008 } },
      'changed the price of ubuntu-latest from $0.008 to $0.006',
    ],
    [
      'price_book.update',
      'book_1',
      { prices: [price('6000000')], before: { prices: [price('8000000')] } },
      'changed the price of linux_2_core from $0.008 to $0.006 in Ours',
    ],
    [
      'member.update',
      'mem_1',
      { role: 'admin', before: { role: 'member' } },
      'changed the role of Ana from member to admin',
    ],
    [
      'alert.update',
      'alert_1',
      { enabled: false, name: 'B', before: { enabled: true, name: 'A' } },
      'changed the alert “Budget”: enabled from yes to no, name from A to B',
    ],
    [
      'alert.update',
      'alert_1',
      { enabled: true, before: { enabled: false } },
      'turned on the alert “Budget”',
    ],
    [
      'organization.update',
      'org',
      { time_zone: 'Europe/Berlin', before: { time_zone: 'UTC' } },
      'changed the time zone of the organization from UTC to Europe/Berlin',
    ],
    [
      'token.create',
      'tok_1',
      { name: 'Grafana', role: 'viewer', member_id: 'mem_1' },
      'created the token “Grafana” with the role viewer for Ana',
    ],
    [
      'invitation.revoke',
      'inv_1',
      { email: 'lin@acme.test', why: 'address_proven' },
      'ended another invitation of lin@acme.test',
    ],
    ['invitation.create', 'inv_1', { email: null, role: 'viewer' }, 'invited somebody by a link as viewer'],
    ['token.revoke', 'tok_1', {}, 'revoked the token “Grafana”'],
    ['session.create', 'ses_1', { address: '203.0.113.7' }, 'signed in from 203.0.113.7'],
    [
      'share.create',
      'shr_1',
      {
        query: 'from=2026-11-01&to=2026-11-30&metric=cost&group_by=team',
        expires_at: '2026-12-07T10:00:00.000Z',
      },
      'created a share link until Dec 7, 2026, 10:00 UTC: Cost by team · November 2026',
    ],
    [
      'share.revoke',
      'shr_2',
      { name: 'For the board', query: 'days=30&group_by=team' },
      'revoked a share link “For the board” of Cost by team · Last 30 days',
    ],
    [
      'share.revoke',
      'shr_2',
      { kind: 'embed', query: 'days=30&group_by=actor' },
      'revoked an embed “For the board” of Cost by who triggered the run · Last 30 days',
    ],
    ['share.create', 'shr_2', { kind: 'badge', name: 'For the board' }, 'created a badge “For the board”'],
    [
      'run.remove_old',
      'removal_1',
      { runs: 2, before: '2026-01-01' },
      'started to remove 2 runs from before Jan 1, 2026',
    ],
    ['run.delete_many', 'org', { runs: 2, jobs: 1, cost: '3.5' }, 'deleted 2 runs (1 job, $3.50)'],
    [
      'ownership_rule.create',
      'own_1',
      { owner: 'Platform', repository: 'acme/*' },
      'gave acme/* to Platform',
    ],
    ['webhook.update', 'wh_1', {}, 'changed the webhook'],
    [
      'webhook.delete',
      'hook_1',
      { host: 'hooks.acme.test', events: ['alert.triggered', 'export.ready'] },
      'deleted the webhook “hooks.acme.test” for alert.triggered and export.ready',
    ],
    [
      'delivery.resend',
      'del_1',
      { webhook_id: 'gone', host: 'hooks.acme.test' },
      'resent a delivery of the webhook “hooks.acme.test”',
    ],
    [
      'resend.start',
      'rsd_1',
      { webhook_id: 'gone', name: 'Chargeback', host: 'hooks.acme.test' },
      'started to resend deliveries of the webhook “Chargeback”',
    ],
    [
      'webhook.update',
      'hook_1',
      { name: 'Chargeback', before: { name: null } },
      'changed the name of the webhook “hooks.acme.test” from none to Chargeback',
    ],
    [
      'export.create',
      'exp_1',
      { dataset: 'jobs', format: 'jsonl' },
      'created an export of jobs as JSON Lines',
    ],
    [
      'organization.update',
      'org',
      { fiscal_year_start_month: 4, before: { fiscal_year_start_month: 1 } },
      'changed the fiscal year start month of the organization from January to April',
    ],
    ['source.delete', 'src_1', { kind: 'github', name: 'acme' }, 'deleted the source “acme” (GitHub)'],
  ] as const)
    assert.equal(sentence(action, target, details), expected);
});

test('a sentence names its target in quotes, else at its end', () => {
  const linked = (name: string, text: string) => text.slice(0, placeOf(name, text));
  assert.equal(linked('a', 'changed the alert “a”'), 'changed the alert “');
  assert.equal(linked('alert', 'created the budget alert “alert”'), 'created the budget alert “');
  assert.equal(linked('the', 'removed the'), 'removed ');
  assert.equal(placeOf('Budget', 'checked the alert'), -1);
});

test('every action of the program has words for its kind', () => {
  const root = join(import.meta.dirname, '../../../../src');
  const found = globSync('**/*.ts', { cwd: root })
    .filter((name) => !name.endsWith('.test.ts'))
    .flatMap((name) => [
      ...readFileSync(join(root, name), 'utf8').matchAll(/recordAudit\([^;]*?['`]([a-z_]+)\.([a-z_$]+)/g),
    ]);
  assert.ok(found.length > 50, `${found.length}`);
  const seen = new Set(found.map(([, kind]) => kind!));
  assert.deepEqual([...seen].toSorted(), Object.keys(kinds).toSorted());
  for (const [, kind, verb] of found) {
    if (!verb || verb.includes('$')) continue;
    const words = sentence(`${kind}.${verb}`, 'x');
    assert.doesNotMatch(words, /_|undefined|NaN/, `${kind}.${verb}`);
  }
});
