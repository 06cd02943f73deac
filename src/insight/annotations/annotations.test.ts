import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newTokenHolder } from '../../../test/harness/sessions.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { listAnnotations } from './annotations.ts';

const testApp = await startTestApp();
const path = '/api/v1/annotations';
const moved = { start: '2026-03-16', text: 'Moved the nightly tests to larger runners' };

async function add(organization: TestOrganization, body: object, token?: string) {
  const answer = await organization.send('POST', path, body, token);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data;
}

type Item = { kind: string; start: string; end: string; text: string; author: string | null };

async function list(organization: TestOrganization, query: Record<string, string> = {}) {
  const answer = await organization.get(path, query);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data as (Item & Record<string, unknown>)[];
}

const texts = (items: Item[]) => items.map(({ text }) => text);

async function newMember(organization: TestOrganization, name: string, role?: string) {
  return (await newTokenHolder(organization, name, role)).token;
}

async function auditOf(organization: TestOrganization) {
  const { data } = (await organization.get('/api/v1/audit-log')).body;
  return data
    .filter(({ action }: { action: string }) => action.startsWith('annotation.'))
    .map(({ action, target, details }: Record<string, unknown>) => ({ action, target, details }));
}

describe('notes', () => {
  test('are added on a day or several, changed and deleted, each with an entry in the audit log', async () => {
    const organization = await testApp.newOrganization();
    const mona = await newMember(organization, 'Mona');
    const note = await add(organization, { ...moved, scope: { repository: 'acme/api' } }, mona);
    assert.match(note.id, /^ann_/);
    const { id, created_at, updated_at, ...rest } = note;
    assert.equal(created_at, updated_at);
    assert.deepEqual(rest, {
      kind: 'note',
      ...moved,
      end: moved.start,
      author: 'Mona',
      scope: { repository: 'acme/api' },
      can_change: true,
      reprice: null,
      warnings: ['No workflow of the repository acme/api is recorded yet.'],
    });
    const changed = await organization.send('PUT', `${path}/${id}`, { start: '2026-03-15' }, mona);
    assert.deepEqual([changed.body.data.start, changed.body.data.end], ['2026-03-15', '2026-03-15']);
    await organization.send('PUT', `${path}/${id}`, { end: '2026-03-17', scope: null }, mona);
    const [listed] = await list(organization);
    assert.deepEqual([listed!.start, listed!.end, listed!.scope], ['2026-03-15', '2026-03-17', null]);
    // The listed note can be sent back and changes nothing.
    const same = await organization.send('PUT', `${path}/${id}`, listed, mona);
    assert.equal(same.status, 200, same.text);
    const deleted = await organization.send('DELETE', `${path}/${id}`, undefined, mona);
    assert.deepEqual(deleted.body, { data: { id, deleted: true } });
    assert.deepEqual(await list(organization), []);
    assert.deepEqual(await auditOf(organization), [
      {
        action: 'annotation.delete',
        target: id,
        details: { start: '2026-03-15', end: '2026-03-17', text: moved.text, scope: null },
      },
      {
        action: 'annotation.update',
        target: id,
        details: {
          end: '2026-03-17',
          scope: null,
          before: { end: '2026-03-15', scope: { repository: 'acme/api' } },
        },
      },
      {
        action: 'annotation.update',
        target: id,
        details: {
          start: '2026-03-15',
          end: '2026-03-15',
          before: { start: '2026-03-16', end: '2026-03-16' },
        },
      },
      {
        action: 'annotation.create',
        target: id,
        details: { ...moved, end: moved.start, scope: { repository: 'acme/api' } },
      },
    ]);
  });

  test('stay and can be changed when the runs of their workflow are deleted', async () => {
    const organization = await testApp.newOrganization();
    await submit(organization, newRun());
    const { workflows } = (await organization.get('/api/v1/dashboard/workflows')).body;
    const scope = { workflow: workflows[0].workflow_id };
    const { id } = await add(organization, { ...moved, scope });
    await organization.send('POST', '/api/v1/runs/delete', { workflow_id: scope.workflow });
    for (const changes of [{ text: 'other' }, { text: 'another', scope }]) {
      const changed = await organization.send('PUT', `${path}/${id}`, changes);
      assert.equal(changed.status, 200, changed.text);
      assert.deepEqual([changed.body.data.text, changed.body.data.scope], [changes.text, scope]);
    }
  });

  test('are changed by their author and by admins only', async () => {
    const organization = await testApp.newOrganization();
    const [mona, lisa, admin] = [
      await newMember(organization, 'Mona'),
      await newMember(organization, 'Lisa'),
      await newMember(organization, 'Ada', 'admin'),
    ];
    const note = await add(organization, moved, mona);
    for (const method of ['PUT', 'DELETE'] as const) {
      const refused = await organization.send(method, `${path}/${note.id}`, { text: 'other' }, lisa);
      assertProblem(refused, 403, 'not_your_annotation');
    }
    const changed = await organization.send('PUT', `${path}/${note.id}`, { text: 'clearer' }, admin);
    assert.deepEqual([changed.body.data.text, changed.body.data.author], ['clearer', 'Mona']);
    const service = await organization.newToken('member');
    const own = await add(organization, moved, service);
    assert.match(own.author, /^token tok_/);
    assert.equal((await organization.send('DELETE', `${path}/${own.id}`, undefined, service)).status, 200);
    const other = await organization.newToken('member');
    const left = await add(organization, moved, service);
    assert.equal((await organization.send('DELETE', `${path}/${left.id}`, undefined, other)).status, 403);
    assert.equal((await organization.send('DELETE', `${path}/${left.id}`, undefined, admin)).status, 200);
  });

  test('are listed on the days and for the scope that is asked for', async () => {
    const organization = await testApp.newOrganization();
    await submit(organization, newRun({ workflow_name: 'CI', repo_name: 'acme/api' }));
    const { workflow_id } = (await organization.get('/api/v1/runs')).body.data[0];
    await add(organization, { start: '2026-03-01', end: '2026-03-10', text: 'all' });
    await add(organization, { start: '2026-03-05', text: 'api', scope: { repository: 'acme/api' } });
    await add(organization, { start: '2026-03-06', text: 'main', scope: { branch: 'main' } });
    await add(organization, { start: '2026-03-07', text: 'workflow', scope: { workflow: workflow_id } });
    const within = (query: Record<string, string>) =>
      list(organization, { from: '2026-03-01', to: '2026-03-31', ...query }).then(texts);
    assert.deepEqual(await within({}), ['all', 'api', 'main', 'workflow']);
    assert.deepEqual(await within({ from: '2026-03-10', to: '2026-03-10' }), ['all']);
    assert.deepEqual(await within({ from: '2026-03-11' }), []);
    assert.deepEqual(await within({ repository: 'acme/web' }), ['all', 'main']);
    assert.deepEqual(await within({ repository: 'Acme/*', branch: '!main' }), ['all', 'api', 'workflow']);
    assert.deepEqual(await within({ workflow: 'CI' }), ['all', 'api', 'main', 'workflow']);
    assert.deepEqual(await within({ workflow: 'Deploy' }), ['all', 'api', 'main']);
    assert.deepEqual(await within({ kind: 'reprice' }), []);
    assert.deepEqual(texts(await list(organization)), ['all', 'api', 'main', 'workflow']);
    assert.deepEqual(texts(await list(organization, { to: '2026-03-04' })), ['all']);
  });

  test('are refused by field', async () => {
    const organization = await testApp.newOrganization();
    const { id } = await add(organization, moved);
    const cases: [object, string][] = [
      [{ text: 'no day' }, 'body.start'],
      [{ start: '2026-03-16' }, 'body.text'],
      [{ ...moved, start: '2026-02-30' }, 'body.start'],
      [{ ...moved, start: '1999-12-31' }, 'body.start'],
      [{ ...moved, end: '2100-01-01' }, 'body.end'],
      [{ ...moved, end: '2026-03-15' }, 'body.end'],
      [{ ...moved, text: ' ' }, 'body.text'],
      [{ ...moved, text: 'two\nlines' }, 'body.text'],
      [{ ...moved, text: 'x'.repeat(501) }, 'body.text'],
      [{ ...moved, scope: { repo: 'acme/api' } }, 'body.scope.repo'],
      [{ ...moved, scope: { weekday: 'monday' } }, 'body.scope.weekday'],
      [{ ...moved, scope: { repository: '' } }, 'body.scope.repository'],
      [{ ...moved, scope: { workflow: 'wf_none' } }, 'body.scope.workflow'],
    ];
    for (const [body, field] of cases)
      assertProblem(await organization.send('POST', path, body), 400, 'invalid_request', [field]);
    for (const body of [{ end: '2026-03-15' }, { text: '' }, { color: 'red' }])
      assert.equal((await organization.send('PUT', `${path}/${id}`, body)).status, 400);
    assert.equal((await add(organization, { ...moved, text: 'x'.repeat(500) })).text.length, 500);
    for (const [query, field] of [
      [{ from: '2026-03-02', to: '2026-03-01' }, 'query.from'],
      [{ from: '0001-01-01' }, 'query.from'],
      [{ kind: 'deploy' }, 'query.kind[0]'],
      [{ weekday: 'monday' }, 'query.weekday'],
    ] as [Record<string, string>, string][])
      assertProblem(await organization.get(path, query), 400, 'invalid_request', [field]);
  });

  test('say which repository, team or cost center of their scope nothing belongs to', async () => {
    const organization = await testApp.newOrganization();
    await submit(organization, newRun({ repo_name: 'acme/api' }));
    const rule = { kind: 'team', owner: 'Platform', repository: 'acme/api' };
    await organization.send('POST', '/api/v1/ownership/rules', rule);
    const nothing = [
      'No workflow of the repository acme/apo is recorded yet.',
      'No ownership rule names the team platform yet.',
      'No ownership rule names the cost center Platform yet.',
    ];
    const scope = { repository: 'acme/apo', team: 'platform', cost_center: 'Platform', branch: 'main' };
    const note = await add(organization, { ...moved, scope });
    assert.deepEqual(note.warnings, nothing);
    const known = { scope: { repository: 'ACME/api', team: 'Platform' } };
    const changed = await organization.send('PUT', `${path}/${note.id}`, known);
    assert.deepEqual(changed.body.data.warnings, []);
    assert.deepEqual((await add(organization, moved)).warnings, []);
    // A response can be sent back.
    const again = await organization.send('PUT', `${path}/${note.id}`, note);
    assert.deepEqual([again.status, again.body.data.warnings], [200, nothing]);
  });

  test('need the scope annotations:write, and are those of the organization', async () => {
    const organization = await testApp.newOrganization();
    const stranger = await testApp.newOrganization();
    const note = await add(organization, moved, await organization.newToken('member', ['annotations:write']));
    for (const token of [
      await organization.newToken('owner', ['costs:read', 'admin']),
      await organization.newToken('viewer'),
    ])
      assert.equal((await organization.send('POST', path, moved, token)).status, 403);
    assert.deepEqual(await list(stranger), []);
    for (const method of ['PUT', 'DELETE'] as const) {
      const foreign = await stranger.send(method, `${path}/${note.id}`, { text: 'mine' });
      assertProblem(foreign, 404, 'annotation_not_found');
    }
    assert.deepEqual(texts(await list(organization)), [moved.text]);
  });
});

describe('price changes', () => {
  test('are those of rules, lists and settings, with who made them', async () => {
    const organization = await testApp.newOrganization();
    const rules = '/api/v1/pricing/rules';
    const rule = { match: 'label', pattern: 'box', name: 'Box', usd_per_minute: 0.05 };
    const { id } = (await organization.send('POST', rules, rule)).body.data;
    await organization.send('PUT', `${rules}/${id}`, { usd_per_minute: 0.03 });
    await organization.send('PUT', `${rules}/${id}`, { name: 'Bigger box' });
    await organization.send('PUT', `${rules}/${id}`, { runner_kind: 'linux_4_core' });
    await organization.send('DELETE', `${rules}/${id}`);
    const book = { name: 'Ours', prices: [{ runner_kind: 'linux_2_core', usd_per_minute: 0.01 }] };
    const { id: bookId } = (await organization.send('POST', '/api/v1/pricing/books', book)).body.data;
    await organization.send('PUT', `/api/v1/pricing/books/${bookId}`, {
      name: 'Ours, by date',
      prices: [
        ...book.prices,
        { runner_kind: 'linux_2_core', usd_per_minute: 0.02, effective_from: '2026-03-10' },
        { runner_kind: 'linux_4_core', usd_per_minute: 0.04, effective_from: '2026-02-01' },
      ],
    });
    await organization.send('PUT', '/api/v1/pricing', { book_id: bookId });
    await organization.send('PUT', '/api/v1/pricing', { included_minutes: { github_plan: 'team' } });
    const changes = await list(organization, { kind: 'price_change' });
    assert.deepEqual(
      changes.map(({ start, end, text }) => (start === end ? [start, text] : [])),
      [
        ['2026-03-10', 'New prices in Ours, by date: linux_2_core $0.02 per minute instead of $0.01'],
        ['2026-03-18', 'Price rule added: label box is $0.05 per minute'],
        ['2026-03-18', 'Price rule changed: $0.03 per minute instead of $0.05 per minute'],
        ['2026-03-18', 'Price rule changed: linux_4_core instead of $0.03 per minute'],
        ['2026-03-18', 'Price rule removed: label box is linux_4_core'],
        ['2026-03-18', 'Price list changed: Ours, by date'],
        ['2026-03-18', 'Switched to the price list “Ours, by date”'],
      ],
    );
    assert.deepEqual([changes[0]!.author, changes[0]!.created_at], [null, null]);
    assert.match(changes[1]!.author!, /^token tok_/);
    assert.ok(changes.every((change) => change.can_change === false));
    const march = await list(organization, { from: '2026-03-11', to: '2026-03-17' });
    assert.deepEqual(march, []);
  });

  test('are also the dates of a shipped list, and its end', async () => {
    const organization = await testApp.newOrganization();
    const winter = { from: '2025-12-01', to: '2026-02-28' };
    const ended = await list(organization, winter);
    assert.deepEqual(
      ended.map(({ start, text }) => [start, text]),
      [
        [
          '2026-01-01',
          "GitHub's price list until 2025-12-31 has ended; GitHub, by the date of each job follows it",
        ],
      ],
    );
    await organization.send('PUT', '/api/v1/pricing', { book_id: 'github_by_date' });
    const [first] = await list(organization, winter);
    assert.match(first!.text, /^New prices of \d+ runner kinds in GitHub, by the date of each job$/);
    assert.equal(first!.start, '2026-01-01');
  });
});

test('reprices are on the days whose jobs they changed, with who started them', async () => {
  const organization = await testApp.newOrganization();
  const times = { started_at: '2026-03-10T10:00:00Z', completed_at: '2026-03-10T10:10:00Z' };
  await submit(organization, newRun({ jobs: [newJob({ runner: undefined, labels: ['box'], ...times })] }));
  const rule = { match: 'label', pattern: 'box', name: 'Box', usd_per_minute: 0.05 };
  await organization.send('POST', '/api/v1/pricing/rules', rule);
  const reprice = async (body: object) => {
    const { id } = (await organization.send('POST', '/api/v1/reprices', body)).body.data;
    await testApp.worker.processAll();
    return id as string;
  };
  const days = { from: '2026-03-01', to: '2026-03-12' };
  await reprice({ ...days, dry_run: true });
  assert.deepEqual(await list(organization, { kind: 'reprice', ...days }), []);
  const id = await reprice(days);
  await organization.send('POST', `/api/v1/reprices/${id}/revert`);
  await testApp.worker.processAll();
  const found = await list(organization, { kind: 'reprice', from: '2026-03-12', to: '2026-03-13' });
  assert.deepEqual(
    found
      .toSorted((a, b) => a.text.localeCompare(b.text))
      .map(({ start, end, text, reprice: effect }) => [start, end, text, effect]),
    [
      [
        '2026-03-01',
        '2026-03-12',
        'Reprice undone: 1 job changed, −$0.50',
        { changed_jobs: 1, difference: -0.5, is_revert: true },
      ],
      [
        '2026-03-01',
        '2026-03-12',
        'Repriced: 1 job changed, +$0.50',
        { changed_jobs: 1, difference: 0.5, is_revert: false },
      ],
    ],
  );
  assert.ok(found.every(({ author }) => author!.startsWith('token tok_')));
  assert.deepEqual(await list(organization, { kind: 'reprice', from: '2026-03-13' }), []);
});

test('all annotations come from one snapshot', async () => {
  const organization = await testApp.newOrganization();
  await add(organization, moved);
  const { db } = testApp.app;
  let snapshots = 0;
  const onlySnapshots = new Proxy(db, {
    get: (_, name) => {
      assert.equal(name, 'transaction', 'reads outside of a snapshot');
      snapshots++;
      const begun = db.transaction();
      return () => ({ setIsolationLevel: begun.setIsolationLevel.bind(begun) });
    },
  });
  const ctx = { ...testApp.app, db: onlySnapshots, actor: cliActor(organization.orgId) };
  assert.deepEqual(texts(await listAnnotations(ctx, {})), [moved.text]);
  assert.equal(snapshots, 1);
});
