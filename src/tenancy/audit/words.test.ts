import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audited, type AuditAction } from '../../audited.ts';
import { entryOf } from './audit.ts';
import type { AuditedKind } from './words.ts';

const names = new Map([
  ['mem_1', 'Ana'],
  ['tok_1', 'Grafana'],
  ['book_1', 'Ours'],
  ['alert_1', 'Budget'],
  ['hook_1', 'hooks.acme.test'],
  ['src_1', 'acme'],
  ['shr_2', 'For the board'],
]);

function entry(action: string, target: string, details: Record<string, unknown> = {}) {
  return entryOf({ id: '', createdAt: new Date(0), actor: 'cli', action, target, details }, names);
}
const sentence = (action: AuditAction, target: string, details: Record<string, unknown> = {}) =>
  entry(action, target, details).summary;

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
      'created a share link until Dec 7, 2026, 10:00 UTC: cost by team · Nov 1, 2026 to Nov 30, 2026',
    ],
    [
      'share.revoke',
      'shr_2',
      { name: 'For the board', query: 'days=30&group_by=team' },
      'revoked a share link “For the board” of cost by team · last 30 days',
    ],
    [
      'share.revoke',
      'shr_2',
      { kind: 'embed', query: 'days=30&group_by=actor' },
      'revoked an embed “For the board” of cost by actor · last 30 days',
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
    ['source.delete', 'src_1', { kind: 'github', name: 'acme' }, 'deleted the source “acme” (github)'],
  ] as const)
    assert.equal(sentence(action, target, details), expected);
});

test('an entry names its target, and links to it while it is there', () => {
  const linked = (action: AuditAction, target: string, details = {}) => {
    const { target_name: name, target_page: page } = entry(action, target, details);
    return [name, page];
  };
  assert.deepEqual(linked('alert.check', 'alert_1'), ['Budget', '/alerts/alert_1']);
  assert.deepEqual(linked('alert.delete', 'gone', { name: 'Old' }), ['Old', null]);
  assert.deepEqual(linked('webhook.ping', 'hook_1'), ['hooks.acme.test', '/webhooks/hook_1']);
  assert.deepEqual(linked('member.update', 'mem_1'), ['Ana', null]);
  assert.deepEqual(linked('token.revoke', 'gone'), [null, null]);
});

test('every action has words, also for entries of earlier versions with fewer details', () => {
  for (const [kind, { words }] of Object.entries<AuditedKind>(audited))
    for (const verb of Object.keys(words)) {
      const { summary } = entry(`${kind}.${verb}`, 'x');
      assert.match(summary, /^[a-z]/, `${kind}.${verb}`);
      assert.doesNotMatch(summary, /_|undefined|null|NaN|Invalid/, `${kind}.${verb}`);
    }
  assert.equal(entry('plan.choose', 'x').summary, 'plan choose', 'an action of an earlier version');
});

test('a change shows the value before, and leaves out what stays', () => {
  const update = (details: Record<string, unknown>) => sentence('digest.update', 'x', details);
  const change = 'changed a digest';
  for (const [details, expected] of [
    [
      { name: 'New', enabled: false, before: { name: 'Old', enabled: true } },
      `${change} “New”: name from Old to New, enabled from yes to no`,
    ],
    [{ book_id: 'book_2', book_id_before: 'book_1' }, 'changed the book id of a digest from Ours to book_2'],
    [{ pattern: 'a', rounding: null, before: { pattern: 'a', rounding: null } }, change],
    [
      { name: '2026-13-45T00:00Z', before: { name: '2026-99-99' } },
      'changed the name of a digest “2026-13-45T00:00Z” from 2026-99-99 to 2026-13-45T00:00Z',
    ],
    [
      { prices_before: [{ usd: 1 }], prices: [{ usd: 2 }] },
      'changed the prices of a digest from 1 item to 1 item',
    ],
    [{ role: 'admin' }, 'changed the role of a digest to admin'],
    [
      { chat: { host: 'chat.example', format: 'slack' }, before: { chat: null } },
      'changed the chat of a digest from none to host chat.example, format slack',
    ],
    [
      { from: '2026-03-01', since: '2026-03-01T10:05:00.000Z', version: '2026-03' },
      `${change}: from to Mar 1, 2026, since to Mar 1, 2026, 10:05 UTC, version to 2026-03`,
    ],
    [{ scopes: ['admin', 'mem_1'], rates: [] }, `${change}: scopes to admin, Ana, rates to none`],
  ] as const)
    assert.equal(update(details), expected);
});
