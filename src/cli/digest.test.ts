import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf } from '../../test/harness/commands.ts';
import { newStorage, runCommand } from '../../test/harness/program.ts';

const settings = await newStorage();
const created = await runCommand(['org', 'create', '--name', 'acme'], settings);
assert.equal(created.code, 0, created.stderr);
const { run, json, printed } = commandsOf('digest', settings);

test('creates, changes, lists, previews and deletes digests', async () => {
  assert.deepEqual(await printed('list'), ['', 'No digests yet. `digest preview` shows what one says.\n']);
  const [id, note] = await printed('create', '--to', 'cto@acme.test', '--chat');
  assert.match(id, /^dig_[0-9a-f]{20}\n$/);
  assert.match(
    note,
    /^Next: \d{4}-[-\dT:.]+Z\.\n[^]*SMTP_URL and EMAIL_FROM are not set here\. Email is sent only if the running server has them\.\n[^]*no chat webhook/,
  );
  const [listed] = await json('digest', 'list');
  assert.deepEqual(
    [listed.frequency, listed.team, listed.chat, listed.recipients[0].email],
    ['weekly', null, true, 'cto@acme.test'],
  );
  const changes = [
    '--frequency',
    'monthly',
    '--to',
    'a@acme.test',
    '--to',
    'b@acme.test',
    '--no-chat',
    '--off',
  ];
  const [, changed] = await printed('update', id.trim(), ...changes);
  assert.match(changed, /^It is off\.\n/);
  assert.match((await printed('list'))[0], /monthly +all +a@acme\.test, b@acme\.test +off\n/);
  const [text] = await printed('preview', '--frequency', 'monthly');
  assert.match(text, /^Monthly digest: acme \(\$0\.00\)\n\nMonthly digest: acme\n/);
  assert.match((await printed('preview', '--html'))[0], /^<!doctype html>/);
  assert.deepEqual(await printed('delete', id.trim()), ['', `Deleted ${id.trim()}.\n`]);
});

test('says what is wrong', async () => {
  const cases: [string[], RegExp][] = [
    [['create'], /--to must have an address/],
    [['create', '--to', 'nobody'], /--to\[0\] must be an email address/],
    [['create', '--chat', '--team', 'ghosts'], /--team must be a team of the ownership rules/],
    [['create', '--chat', '--frequency', 'daily'], /--frequency/],
    [['update', 'dig_none', '--on', '--off'], /--off/],
    [['delete', 'dig_none'], /no such digest/],
    [['send', 'dig_none', '--to', 'a@acme.test'], /no such digest/],
  ];
  for (const [options, message] of cases) {
    const { code, stdout, stderr } = await run(...options);
    assert.deepEqual([code, stdout], [1, ''], options.join(' '));
    assert.match(stderr, message);
  }
});
