import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf, type Json } from '../../test/harness/commands.ts';
import { newStorage, serveHere } from '../../test/harness/program.ts';

const settings = await newStorage();
const { run: price, json, printed } = commandsOf('price', settings);
const { printed: costsPrinted } = commandsOf('costs', settings);
const { printed: repricePrinted } = commandsOf('reprice', settings);

const acme: { org_id: string; token: string } = await json('org', 'create', '--name', 'acme');
const ofAcme = ['--org', acme.org_id];

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

async function refused(args: readonly string[], message: RegExp, code = 2): Promise<void> {
  const result = await price(...args, ...ofAcme);
  assert.deepEqual([result.code, result.stdout], [code, ''], args.join(' '));
  assert.match(result.stderr, message);
}

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
  assert.equal((await json('price', 'show', 'github_2026', ...ofAcme)).id, 'github_2026');
  await refused(['choose', 'nonsense'], /no such price list/, 4);
  const gamma: { org_id: string } = await json('org', 'create', '--name', 'gamma');
  const ofGamma = ['--org', gamma.org_id];
  const [, notes] = await printed('choose', 'github_2025', ...ofGamma);
  const command = `price switch --org ${gamma.org_id}`;
  assert.match(
    notes,
    new RegExp(`^This list ended on 2025-12-31\\. github_by_date follows it\\..*${command}$`, 'm'),
  );
  const [, current] = await printed('choose', 'github_2026', ...ofGamma);
  assert.doesNotMatch(current, /ended/);
});

test('a preview shows the change', async () => {
  const args = ['--book', 'github_2026', '--map', 'mystery=linux_4_core', ...ofAcme];
  const [preview, notes] = await printed('what-if', ...args);
  assert.match(preview, /acme\/api CI +\$0\.04 +\$0\.09 +\+\$0\.05/);
  assert.match(notes, /2 jobs from/);
  assert.doesNotMatch(notes, /not shown/);
  for (const [rule, then] of [
    [['--label', 'mystery', '--rate', '0.01'], 0.09],
    [['--regex', '^myst', '--kind', 'linux_4_core'], 0.12],
    [['--group', 'none of that name', '--kind', 'linux_4_core'], 0.04],
  ] as const) {
    const { total } = await json('price', 'what-if', ...rule, ...ofAcme);
    assert.deepEqual([total.cost_now, total.cost_then], [0.04, then], rule.join(' '));
  }
  for (const [wrong, message] of [
    [['--days', '91'], /--days must be/],
    [['--map', 'mystery'], /--map must be a label and a runner kind/],
    [['--map', 'mystery=big'], /--map must be a runner kind, not big/],
    [['--rate', '0.01'], /--label, --regex or --group is required/],
    [['--label', 'x'], /--rate is required without/],
    [['--regex', '(', '--kind', 'linux_4_core'], /--label, --regex or --group .*missing closing \)/],
    [['--label', 'x', '--rate', '101'], /--rate must be/],
  ] as const)
    await refused(['what-if', ...wrong], message);
});

test('unpriced runners that now have a price come with the command that prices them', async () => {
  const rule: Json = await json(
    'price',
    'rule',
    'add',
    '--label',
    'mystery',
    '--kind',
    'linux_4_core',
    ...ofAcme,
  );
  assert.match(
    (await costsPrinted('--group-by', 'runner', ...ofAcme))[1],
    /count as \$0\. .*`price unpriced`/,
  );
  const [table, note] = await printed('unpriced', ...ofAcme);
  assert.match(table, /mystery .* linux_4_core +0\.08\n/);
  assert.match(
    note,
    /^1 runner now has a price: 5 minutes would cost \$0\.08\. .*reprice run --from .* --unpriced-only/,
  );
  await printed('rule', 'delete', rule.id, ...ofAcme);
  assert.equal((await printed('unpriced', ...ofAcme))[1], '');
});

test('hints are listed, and accepting one makes a rule', async () => {
  const [table, note] = await printed('hint', 'list', ...ofAcme);
  assert.match(
    table,
    /blacksmith_2vcpu_ubuntu +Blacksmith +Blacksmith 2 vCPU Linux +0\.004 +minute +published/,
  );
  assert.match(note, /before you accept it/);
  const [id, done] = await printed('hint', 'accept', 'blacksmith_2vcpu_ubuntu', ...ofAcme);
  assert.match(done, /Blacksmith 2 vCPU Linux is a rule now/);
  await printed('rule', 'delete', id.trim(), ...ofAcme);
});

test('adds and lists rules', async () => {
  const [id] = await printed('rule', 'add', '--label', 'mystery', '--kind', 'linux_4_core', ...ofAcme);
  const [listed] = await printed('rule', 'list', ...ofAcme);
  assert.match(listed, new RegExp(`${id.trim()} +1 +label mystery +linux_4_core +from the price list`));
  const shape = 'buildkite_linux_amd64_2x4';
  const [unpriced, note] = await printed('rule', 'add', '--label', 'bk', '--kind', shape, ...ofAcme);
  assert.match(note, new RegExp(`has no price for ${shape}, so these jobs are unpriced`));
  assert.match((await printed('rule', 'delete', unpriced.trim(), ...ofAcme))[1], /has been deleted/);
  const rates = ['--rate', '2026-09-01=0.00125', '--rate', '0.0010'];
  const box = ['--label', 'box', '--name', 'Box', ...rates];
  const dated: Json = await json('price', 'rule', 'add', ...box, ...ofAcme);
  assert.deepEqual(
    [dated.usd_per_minute, dated.later_rates],
    [0.001, [{ effective_from: '2026-09-01', usd_per_minute: 0.001_25 }]],
  );
  assert.match((await printed('rule', 'list', ...ofAcme))[0], /Box +0\.001, 0\.00125 from 2026-09-01/);
  await refused(['rule', 'add', ...box], /has the same condition and price/, 1);
  await printed('rule', 'delete', dated.id, ...ofAcme);
});

test('a fault of a rule names the option', async () => {
  const of = (...rest: string[]) => ['rule', 'add', '--label', 'x', ...rest];
  for (const [args, message] of [
    [
      of('--rate', '0.01', '--rate', '1'),
      /--rate must have a first day from the second on, as in --rate 2026-09-01=1/,
    ],
    [
      of('--rate', '2026-09-01=1'),
      /--rate must also have one without a first day: the rate before 2026-09-01/,
    ],
    [
      of('--name', 'X', '--rate', '1', '--rate', '2026-02-30=1'),
      /--rate\[0\]\.effective_from must be a calendar day/,
    ],
    [of('--name', 'X', '--rate', '0x10'), /--rate must be a number/],
    [of('--regex', 'x', '--rate', '1'), /--label, --regex or --group is required: exactly one of them/],
    [
      of('--kind', 'linux_16_cores'),
      /--kind must be a runner kind, not linux_16_cores\. Did you mean linux_16_core\? To list all: price kinds\n$/,
    ],
    [of(), /--rate is required/],
    [of('--kind', 'linux_4_core', '--position', '99'), /--position must be from 1 to 2/],
    [of('--rate', '1'), /--name is required with/],
    [
      ['rule', 'add', '--label', ' ', '--kind', 'linux_4_core'],
      /--label, --regex or --group must not be blank/,
    ],
  ] as const)
    await refused(args, message);
});

test('reprices past jobs, and restores their prices', async () => {
  await printed('choose', 'github_2026', ...ofAcme);
  // Just after midnight, these runs have completed yesterday.
  const [yesterday, today] = [1, 0].map((days) =>
    new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10),
  );
  const days = ['--from', yesterday!, '--to', today!, ...ofAcme];
  const [dry] = await repricePrinted('run', ...days, '--dry-run');
  assert.match(dry, /2 of 2 jobs would change: \+\$0\.05/);
  const [done, notes] = await repricePrinted('run', ...days);
  assert.match(done, /2 of 2 jobs changed: \+\$0\.05/);
  const id = /reprice revert (\S+)/.exec(notes)![1]!;
  const [reverted] = await repricePrinted('revert', id, ...ofAcme);
  assert.match(reverted, /2 of 2 jobs changed: −\$0\.05/);
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

test('sets, lists and removes billing terms, and leaves the others', async () => {
  const [none, note] = await printed('terms', 'list', ...ofAcme);
  assert.deepEqual([none, note], ['', 'No terms: nothing is included or discounted.\n']);
  const included = () => printed('included-minutes', 'get', ...ofAcme);
  assert.match((await included())[1], /^No plan is set.*`price terms set --plan team`/);
  await printed('terms', 'set', '--plan', 'team', ...ofAcme);
  assert.equal((await included())[1], '');
  const [listed] = await printed('terms', 'set', '--from', '2026-01-01', '--discount', '12.5', ...ofAcme);
  assert.match(listed, /^PROVIDER +FROM +PLAN +MINUTES PER MONTH +DOLLARS PER MONTH +DISCOUNT %$/m);
  assert.match(listed, /^github +1970-01-01 +team +3000 +- +0$/m);
  assert.match(listed, /^github +2026-01-01 +- +- +- +12\.5$/m);
  const fromFebruary = ['--from', '2026-02-01', ...ofAcme];
  const [inDollars] = await printed('terms', 'set', '--plan', 'enterprise', '--usd', ...fromFebruary);
  assert.match(inDollars, /^github +2026-02-01 +enterprise +50000 +300 +0$/m);
  await printed('terms', 'set', '--usd', '25.5', ...fromFebruary);
  const byMultipliers = ['--minutes', '9', '--draw', 'legacy_multipliers'];
  await printed('terms', 'set', ...byMultipliers, ...fromFebruary);
  const listedAgain: Json = await json('price', 'terms', 'remove', ...fromFebruary);
  assert.equal(listedAgain.length, 2);
  const rest: Json = await json('price', 'terms', 'remove', '--from', '2026-01-01', ...ofAcme);
  assert.deepEqual(
    rest.map((each: Json) => [each.effective_from, each.included_minutes.github_plan]),
    [['1970-01-01', 'team']],
  );
  await refused(['terms', 'remove'], /--from/);
  await refused(['terms', 'remove', '--from', '2026-01-01'], /no terms of github from 2026-01-01/, 4);
  for (const [options, message] of [
    [['--discount', '101'], /--discount must be/],
    [['--discount', 'much'], /--discount must be/],
    [['--provider', 'jenkins'], /--provider must be one of: github/],
    [['--provider', 'circleci', '--minutes', '5'], /--plan must be null for CircleCI/],
    [['--from', 'soon'], /--from must be/],
  ] as const)
    await refused(['terms', 'set', ...options], message);
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
});
