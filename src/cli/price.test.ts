import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf, type Json } from '../../test/harness/commands.ts';
import { newStorage, serveHere } from '../../test/harness/program.ts';

const settings = await newStorage();
const { run: price, json, printed } = commandsOf('price', settings);
const { run: reprice, printed: repricePrinted } = commandsOf('reprice', settings);

const acme: { org_id: string; token: string } = await json('org', 'create', '--name', 'acme');
const ofAcme = ['--org', acme.org_id];
const today = new Date().toISOString().slice(0, 10);

async function submit(address: string, token: string): Promise<void> {
  const completed = new Date(Date.now() - 60_000);
  const times = { started_at: new Date(completed.getTime() - 300_000), completed_at: completed };
  const jobs = [
    { job_id: '1', runner: 'linux_2_core', ...times },
    { job_id: '2', labels: ['mystery'], ...times },
  ];
  const run = { run_id: '1', workflow_name: 'CI', repo_name: 'acme/api', status: 'completed' };
  const runs = [{ ...run, conclusion: 'success', created_at: times.started_at, jobs }];
  const response = await fetch(`${address}/api/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ runs }),
  });
  assert.ok(response.ok);
}

const server = await serveHere(settings);
await submit(server.address, acme.token);
// Just after midnight, these runs have completed yesterday.
const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const days = ['--from', yesterday, '--to', today];

test('lists, shows and chooses price lists', async () => {
  const books: Json = await json('price', 'books', ...ofAcme);
  assert.deepEqual(
    books.map(({ id, is_chosen }: Json) => [id, is_chosen]),
    [
      ['github_2025', true],
      ['github_2026', false],
      ['github_by_date', false],
    ],
  );
  const [shown] = await printed('show', 'github_2026', ...ofAcme);
  assert.match(shown, /linux_2_core +Linux 2-core +0\.006 +1970-01-01/);
  const { code, stderr } = await price('choose', 'nonsense', ...ofAcme);
  assert.equal(code, 1);
  assert.match(stderr, /no such price list/);
  const gamma: { org_id: string } = await json('org', 'create', '--name', 'gamma');
  const ofGamma = ['--org', gamma.org_id];
  const [, notes] = await printed('choose', 'github_2025', ...ofGamma);
  const next = 'GitHub, by the date of each job \\(github_by_date\\) follows it';
  const command = `npm run -s runcost -- price switch --org ${gamma.org_id}`;
  assert.match(notes, new RegExp(`^This list ended on 2025-12-31\\. ${next}\\..*${command}$`, 'm'));
  const [, current] = await printed('choose', 'github_2026', ...ofGamma);
  assert.doesNotMatch(current, /ended/);
});

test('a preview shows the change and changes nothing', async () => {
  const args = ['--book', 'github_2026', '--map', 'mystery=linux_4_core', ...ofAcme];
  const [preview, notes] = await printed('what-if', ...args);
  assert.match(preview, /acme\/api CI +\$0\.04 +\$0\.09 +\+\$0\.05/);
  assert.match(notes, /2 jobs from/);
  assert.doesNotMatch(notes, /not shown/);
  const found: Json = await json('price', 'what-if', ...args);
  assert.deepEqual([found.total.cost_now, found.total.cost_then], [0.04, 0.09]);
  for (const [rule, then] of [
    [['--label', 'mystery', '--rate', '0.01'], 0.09],
    [['--regex', '^myst', '--kind', 'linux_4_core'], 0.12],
    [['--group', 'none of that name', '--kind', 'linux_4_core'], 0.04],
  ] as const) {
    const { total } = await json('price', 'what-if', ...rule, ...ofAcme);
    assert.deepEqual([total.cost_now, total.cost_then], [0.04, then], rule.join(' '));
  }
  for (const wrong of [
    ['--days', '91'],
    ['--map', 'mystery'],
    ['--map', 'mystery=big'],
  ]) {
    const refused = await price('what-if', ...wrong, ...ofAcme);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, new RegExp(wrong[0]!));
  }
  for (const [wrong, message] of [
    [['--rate', '0.01'], /--label, --regex or --group is required/],
    [
      ['--label', 'x', '--regex', 'x', '--rate', '1'],
      /--label, --regex or --group is required: exactly one of them/,
    ],
    [['--label', 'x'], /--rate is required without --kind/],
    [
      ['--label', 'x', '--kind', 'linux_16_cores'],
      /--kind must be a runner kind, not linux_16_cores\. Did you mean linux_16_core\? To list all: price kinds\n$/,
    ],
    [['--regex', '(', '--kind', 'linux_4_core'], /the pattern .*missing closing \)/],
    [['--label', 'x', '--rate', '101'], /--rate must be a number/],
  ] as const) {
    const refused = await price('what-if', ...wrong, ...ofAcme);
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(refused.stderr, message);
  }
});

test('adds, lists and deletes rules', async () => {
  const [id] = await printed('rule', 'add', '--label', 'mystery', '--kind', 'linux_4_core', ...ofAcme);
  const [listed] = await printed('rule', 'list', ...ofAcme);
  assert.match(listed, new RegExp(`${id.trim()} +1 +label mystery +linux_4_core +from the price list`));
  const own = ['--regex', '^big-', '--name', 'Big', '--rate', '0.01', '--rounding', 'second'];
  const added: Json = await json('price', 'rule', 'add', ...own, ...ofAcme);
  assert.equal(added.usd_per_minute, 0.01);
  const again = await price('rule', 'add', ...own, ...ofAcme);
  assert.equal(again.stderr, `error: Rule ${added.id} at position 2 has the same condition and price.\n`);
  await printed('rule', 'delete', added.id, ...ofAcme);
  const shape = 'buildkite_linux_amd64_2x4';
  const [unpriced, note] = await printed('rule', 'add', '--label', 'bk', '--kind', shape, ...ofAcme);
  assert.match(note, new RegExp(`has no price for ${shape}, so these jobs are unpriced`));
  await printed('rule', 'delete', unpriced.trim(), ...ofAcme);
  assert.match((await printed('kinds', ...ofAcme))[0], new RegExp(`^${shape} .* no price$`, 'm'));
  assert.equal((await json('price', 'rule', 'list', ...ofAcme)).length, 1);
  const rates = ['--rate', '2026-09-01=0.00125', '--rate', '0.0010'];
  const dated: Json = await json(
    'price',
    'rule',
    'add',
    '--label',
    'box',
    '--name',
    'Box',
    ...rates,
    ...ofAcme,
  );
  assert.deepEqual(
    [dated.usd_per_minute, dated.later_rates],
    [0.001, [{ effective_from: '2026-09-01', usd_per_minute: 0.001_25 }]],
  );
  assert.match((await printed('rule', 'list', ...ofAcme))[0], /Box +0\.001, 0\.00125 from 2026-09-01/);
  await printed('rule', 'delete', dated.id, ...ofAcme);
  for (const [wrong, message] of [
    [[...own, '--rate', '1'], /--rate must have a first day from the second on, as in --rate 2026-09-01=1/],
    [
      ['--label', 'x', ...rates.slice(0, 2)],
      /--rate must also have one without a first day: the rate before 2026-09-01/,
    ],
    [
      ['--label', 'x', '--name', 'X', ...rates, ...rates.slice(0, 2)],
      /--rate\[1\] repeats 2026-09-01; give each/,
    ],
    [['--label', 'x', '--rate', '1', '--rate', '2026-02-30=1'], /--rate must be a day such as/],
    [['--kind', 'linux_4_core'], /--label, --regex or --group is required/],
    [['--label', 'x'], /--rate is required/],
    [
      ['--label', 'x', '--kind', 'linux_4_core', '--position', '99'],
      /error: --position must be from 1 to 2\n$/,
    ],
    [['--label', 'x', '--rate', '1'], /--name is required with --rate/],
    [['--regex', '(', '--kind', 'linux_4_core'], /missing closing \)/],
    [['--label', ' ', '--kind', 'linux_4_core'], /pattern must not be blank/],
    [['--label', 'x'.repeat(256), '--kind', 'linux_4_core'], /at most 255 characters/],
    [['--label', 'x', '--name', '', '--rate', '1'], /--name must not be blank/],
    [['--label', 'x', '--name', 'a\nb', '--rate', '1'], /--name must not contain line breaks/],
    [['--label', 'x', '--name', 'x'.repeat(101), '--rate', '1'], /at most 100 characters/],
    [['--label', 'x', '--name', 'X', '--rate', ' '], /--rate must be a number from 0 to 100/],
    [['--label', 'x', '--name', 'X', '--rate', '0x10'], /--rate must be a number/],
    [['--label', 'x', '--name', 'X', '--rate', '101'], /--rate must be a number/],
  ] as const) {
    const refused = await price('rule', 'add', ...wrong, ...ofAcme);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, message);
  }
});

test('reprices past jobs, and restores their prices', async () => {
  await printed('choose', 'github_2026', ...ofAcme);
  const [dry] = await repricePrinted('run', ...days, '--dry-run', ...ofAcme);
  assert.match(dry, /2 of 2 jobs would change: \+\$0\.05/);
  const [done, notes] = await repricePrinted('run', ...days, ...ofAcme);
  assert.match(done, /2 of 2 jobs changed: \+\$0\.05/);
  const id = /reprice revert (\S+)/.exec(notes)![1]!;
  const [reverted] = await repricePrinted('revert', id, ...ofAcme);
  assert.match(reverted, /2 of 2 jobs changed: −\$0\.05/);
  const listed: Json = await json('reprice', 'list', ...ofAcme);
  assert.deepEqual(
    listed.map(({ status, reverts, dry_run }: Json) => [status, reverts, dry_run]),
    [
      ['done', id, false],
      ['done', null, false],
      ['done', null, true],
    ],
  );
  const [, note] = await repricePrinted('list', '--limit', '2', ...ofAcme);
  assert.match(note, /^1 of 3 reprices not shown\. To see all: --limit 3$/m);
  const wrong = await reprice('run', '--from', '2026-02-30', '--to', today, ...ofAcme);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /--from must be a day/);
});

test('a preview of many workflows says how many it leaves out, and shows all with --limit', async () => {
  const many: { org_id: string; token: string } = await json('org', 'create', '--name', 'many');
  const now = new Date(Date.now() - 60_000);
  const jobs = [{ job_id: '1', runner: 'linux_2_core', started_at: now, completed_at: now }];
  const runs = Array.from({ length: 3 }, (_, index) => {
    const names = { run_id: `w${index}`, workflow_name: `W${index}`, repo_name: 'acme/api' };
    return { ...names, status: 'completed', conclusion: 'success', created_at: now, jobs };
  });
  const headers = { authorization: `Bearer ${many.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ runs });
  assert.ok((await fetch(`${server.address}/api/v1/runs`, { method: 'POST', headers, body })).ok);
  const preview = (limit: string) => printed('what-if', '--limit', limit, '--org', many.org_id);
  const [first, notes] = await preview('1');
  assert.equal(first.match(/acme\/api W/g)?.length, 1);
  assert.match(notes, /^2 of 3 workflows not shown\. To see all: --limit 3$/m);
  const [all, rest] = await preview('3');
  assert.equal(all.match(/acme\/api W/g)?.length, 3);
  assert.doesNotMatch(rest, /not shown/);
});

test('announces an ended price list at the start, and switches and reprices in one step', async () => {
  const created: { org_id: string; token: string } = await json('org', 'create', '--name', 'beta');
  const ofBeta = ['--org', created.org_id];
  await submit(server.address, created.token);
  await server.stop();

  const second = await serveHere(settings);
  const announced =
    /GitHub's price list until 2025-12-31 has ended; jobs since 2\d{3}-\d\d-\d\d cost \$0\.01 less with the next one\. /
      .source +
    `Switch and reprice: DATA_DIR=${settings.DATA_DIR} npm run -s runcost -- price switch --org ${created.org_id}`;
  assert.match(second.printed(), new RegExp(announced));
  assert.ok(!second.printed().includes(`switch --org ${acme.org_id}`), 'a list that holds is not announced');

  const [switched, notes] = await printed('switch', ...ofBeta);
  assert.match(
    switched,
    /^Jobs are priced with GitHub, by the date of each job\.\n2 of 2 jobs changed: −\$0\.01\n$/,
  );
  assert.match(notes, /To undo: reprice revert reprice_/);
  const again = await price('switch', ...ofBeta);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /has not ended/);
});

test('sets, lists and removes billing terms, and shows net cost', async () => {
  const [none, note] = await printed('terms', 'list', ...ofAcme);
  assert.deepEqual([none, note], ['', 'No terms: nothing is included or discounted.\n']);
  await printed('terms', 'set', '--plan', 'team', ...ofAcme);
  const [listed] = await printed('terms', 'set', '--from', '2026-01-01', '--discount', '12.5', ...ofAcme);
  assert.match(listed, /^PROVIDER +FROM +PLAN +MINUTES PER MONTH +DISCOUNT$/m);
  assert.match(listed, /^github +always +team +3,000 +0%$/m);
  assert.match(listed, /^github +2026-01-01 +12\.5%$/m);
  const rest: Json = await json('price', 'terms', 'remove', '--from', '2026-01-01', ...ofAcme);
  assert.deepEqual(
    rest.map((each: Json) => [each.effective_from, each.included_minutes.github_plan]),
    [['1970-01-01', 'team']],
  );
  const again = await price('terms', 'remove', '--from', '2026-01-01', ...ofAcme);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /no terms of github from 2026-01-01/);
  for (const [options, message] of [
    [['--discount', 'much'], /--discount must be from 0 to 100/],
    [['--provider', 'jenkins'], /--provider must be one of: github/],
    [['--provider', 'gitlab', '--minutes', '5'], /--plan must be null for GitLab/],
    [['--from', 'soon'], /--from must be a day/],
  ] as const) {
    const { code, stderr } = await price('terms', 'set', ...options, ...ofAcme);
    assert.equal(code, 1);
    assert.match(stderr, message);
  }
});
