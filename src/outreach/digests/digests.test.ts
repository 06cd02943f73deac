import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newAlert } from '../../../test/harness/alerts.ts';
import { request, sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/digests';
const toCto = { frequency: 'weekly', is_personal: false, recipients: ['cto@acme.test'] };
const own = { frequency: 'weekly' };

async function memberOf(organization: TestOrganization, name: string, role: string): Promise<string> {
  const member = { email: `${name}@acme.test`, role };
  const { body } = await organization.send('POST', '/api/v1/members', member);
  const token = { name, role, member_id: body.data.id };
  return (await organization.send('POST', '/api/v1/tokens', token)).body.data.token;
}

describe('digests', () => {
  test('members manage their own, and admins those of the organization', async () => {
    const organization = await testApp.newOrganization();
    const { send } = organization;
    const viewer = await memberOf(organization, 'vic', 'viewer');
    const admin = await memberOf(organization, 'ada', 'admin');
    const made = await send('POST', path, own, viewer);
    assert.equal(made.status, 201, made.text);
    const { id, recipients, is_personal: isPersonal, next_at: nextAt } = made.body.data;
    assert.deepEqual(
      [isPersonal, recipients[0].email, nextAt],
      [true, 'vic@acme.test', '2026-03-23T08:00:00.000Z'],
    );
    const shared = (await send('POST', path, toCto, admin)).body.data;
    const idsFor = async (token: string) =>
      (
        await request(testApp.server, {
          method: 'GET',
          url: path,
          headers: { authorization: `Bearer ${token}` },
        })
      ).body.data.map((digest: { id: string }) => digest.id);
    assert.deepEqual([await idsFor(viewer), await idsFor(admin)], [[id], [shared.id]]);
    assertProblem(await send('POST', path, toCto, viewer), 403, 'role_too_low');
    for (const [digest, token] of [
      [shared.id, viewer],
      [id, admin],
    ]) {
      assertProblem(
        await send('PUT', `${path}/${digest}`, { enabled: false }, token),
        404,
        'digest_not_found',
      );
      assertProblem(await send('POST', `${path}/${digest}/send`, undefined, token), 404, 'digest_not_found');
      assertProblem(await send('DELETE', `${path}/${digest}`, undefined, token), 404, 'digest_not_found');
    }
    const changed = await send('PUT', `${path}/${id}`, { frequency: 'monthly' }, viewer);
    assert.deepEqual([changed.status, changed.body.data.next_at], [200, '2026-04-01T08:00:00.000Z']);
    assertProblem(await send('POST', `${path}/${id}/send`, undefined, viewer), 409, 'mail_not_configured');
    assert.deepEqual((await send('DELETE', `${path}/${id}`, undefined, viewer)).body.data, {
      id,
      deleted: true,
    });
    const other = await testApp.newOrganization();
    assertProblem(await other.send('DELETE', `${path}/${shared.id}`), 404, 'digest_not_found');
  });

  test('follow the time zone and the week of the organization', async () => {
    const organization = await testApp.newOrganization();
    const calendar = { time_zone: 'America/New_York', week_start: 'sunday' };
    await organization.send('PUT', '/api/v1/organization', calendar);
    const { body } = await organization.send('POST', path, toCto);
    assert.equal(body.data.next_at, '2026-03-22T12:00:00.000Z');
  });

  test('say why nobody may get them', async () => {
    const organization = await testApp.newOrganization();
    const { body } = await organization.send('POST', path, { ...toCto, chat: true });
    assert.deepEqual(body.data.warnings, [
      'No email will be sent: SMTP_URL and EMAIL_FROM are not set.',
      'Nothing will be sent to a chat: the organization has no channel named default.',
    ]);
    const settings = { routing_key: '0123456789abcdef0123456789abcdef' };
    const onCall = { name: 'default', kind: 'pagerduty', settings };
    const created = await organization.send('POST', '/api/v1/channels', onCall);
    assert.equal(created.status, 201, created.text);
    const mails = { name: 'mail', kind: 'email', settings: { addresses: ['ops@acme.test'] } };
    const channel = (await organization.send('POST', '/api/v1/channels', mails)).body.data;
    for (const [receivers, warning] of [
      [{ chat: true }, 'Nothing will be sent to a chat: the channel named default gets alerts only.'],
      [{ channel_ids: [channel.id] }, 'No email will be sent: SMTP_URL and EMAIL_FROM are not set.'],
    ] as const) {
      const answer = await organization.send('POST', path, { ...toCto, recipients: [], ...receivers });
      assert.deepEqual(answer.body.data.warnings, [warning]);
    }
    const member = { email: 'leaver@acme.test', role: 'viewer' };
    const { id } = (await organization.send('POST', '/api/v1/members', member)).body.data;
    const made = await organization.send('POST', path, { ...toCto, recipients: [member.email] });
    await organization.send('DELETE', `/api/v1/members/${id}`);
    const left = (await organization.get(path)).body.data.find(
      (each: { id: string }) => each.id === made.body.data.id,
    );
    assert.deepEqual(left.warnings, ['Nobody gets it: it has no recipients.']);
  });

  test('of a kind of actor have its costs and budgets only, and can become those of all', async () => {
    const organization = await testApp.newOrganization();
    const { send } = organization;
    const [started_at, completed_at] = ['2026-03-11T10:00:00Z', '2026-03-11T10:05:00Z'];
    await submit(
      organization,
      ...['Copilot', 'mona'].map((actor) =>
        newRun({ actor, created_at: started_at, jobs: [newJob({ started_at, completed_at })] }),
      ),
    );
    await newAlert(organization, { name: 'All' });
    await newAlert(organization, { name: 'Agents', scope: { type: 'actor_kind', value: 'agent' } });
    const { data } = (await organization.get(`${path}/preview`, { actor_kind: 'agent' })).body;
    const { data: all } = (await organization.get(`${path}/preview`)).body;
    assert.deepEqual([data.actor_kind, data.total, all.actor_kind, all.total], ['agent', 0.04, null, 0.08]);
    const names = data.budgets.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ['Agents']);
    assert.match(data.subject, /^Weekly digest: Agents of .+ \(\$0\.04\)$/);
    assert.match(data.text, /explore\?org=[-0-9a-f]+&from=2026-03-09&to=2026-03-15&actor_kind=agent/);
    const created = (await send('POST', path, { ...toCto, actor_kind: 'agent' })).body.data;
    assert.equal(created.actor_kind, 'agent');
    const url = `${path}/${created.id}`;
    assertProblem(await send('PUT', url, { actor_kind: 'all' }), 400, 'invalid_request');
    assert.equal((await send('PUT', url, { actor_kind: null })).body.data.actor_kind, null);
  });

  test('are about a team', async () => {
    const { send } = await testApp.newOrganization();
    await send('POST', '/api/v1/ownership/rules', { kind: 'team', owner: 'Shipping', repository: 'acme/*' });
    const created = await send('POST', path, { ...toCto, team: 'Shipping' });
    assert.equal(created.body.data?.team, 'Shipping', created.text);
    const changed = await send('PUT', `${path}/${created.body.data.id}`, { team: null, actor_kind: 'bot' });
    assert.deepEqual([changed.body.data.team, changed.body.data.actor_kind], [null, 'bot']);
  });

  test('are refused where they would reach nobody, or show nothing', async () => {
    const organization = await testApp.newOrganization();
    const { send } = organization;
    const ada = await memberOf(organization, 'ada', 'admin');
    const cases: [body: object, token: string | undefined, message: RegExp][] = [
      [own, undefined, /body\.is_personal must be false for a token without a member/],
      [
        { ...toCto, recipients: [] },
        undefined,
        /body\.recipients must have an address, unless `chat` is true/,
      ],
      [{ ...toCto, recipients: ['x'] }, undefined, /body\.recipients\[0\] must be an email address/],
      [{ ...toCto, team: 'Ghosts' }, undefined, /body\.team must be a team of the ownership rules/],
      [{ ...toCto, actor_kind: 'robot' }, undefined, /body\.actor_kind/],
      [
        { ...toCto, team: 'Ghosts', actor_kind: 'bot' },
        undefined,
        /body\.actor_kind must be left out or null/,
      ],
      [
        { ...own, recipients: ['a@acme.test'] },
        ada,
        /body\.recipients must be left out of a personal digest/,
      ],
      [{ ...own, chat: true }, ada, /body\.chat must be left out/],
      [{ ...own, frequency: 'daily' }, ada, /body\.frequency/],
    ];
    for (const [body, token, message] of cases) {
      const answer = await send('POST', path, body, token);
      assertProblem(answer, 400, 'invalid_request');
      assert.match(answer.body.detail, message);
    }
    const writer = await organization.newToken('owner', ['alerts:write']);
    assertProblem(await send('POST', path, toCto, writer), 403, 'scope_missing');
    const { id } = (await send('POST', path, toCto)).body.data;
    assertProblem(await send('POST', `${path}/${id}/send`), 409, 'no_address');
    assertProblem(await organization.get(`${path}/preview`, { team: 'Ghosts' }), 400, 'invalid_request');
    for (let count = 0; count < 20; count++) assert.equal((await send('POST', path, own, ada)).status, 201);
    assertProblem(await send('POST', path, own, ada), 409, 'too_many_digests');
  });

  test('keep who has unsubscribed, while their address stays', async () => {
    const organization = await testApp.newOrganization();
    const { send } = organization;
    const { id } = (await send('POST', path, { ...toCto, recipients: ['a@acme.test', 'b@acme.test'] })).body
      .data;
    const at = new Date('2026-03-18T12:00:00Z');
    await testApp.app.db
      .updateTable('digestRecipients')
      .set({ unsubscribedAt: at })
      .where('email', '=', 'a@acme.test')
      .where('digestId', '=', id)
      .execute();
    const recipients = async (addresses: string[]) =>
      (await send('PUT', `${path}/${id}`, { recipients: addresses })).body.data.recipients.map(
        (each: { email: string; unsubscribed_at: string | null }) => [
          each.email,
          each.unsubscribed_at !== null,
        ],
      );
    assert.deepEqual(await recipients(['A@acme.test', 'c@acme.test']), [
      ['a@acme.test', true],
      ['c@acme.test', false],
    ]);
    assert.deepEqual(await recipients(['c@acme.test']), [['c@acme.test', false]]);
    assert.deepEqual((await recipients(['a@acme.test']))[0], ['a@acme.test', false]);
  });
});
