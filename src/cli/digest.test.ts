import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf } from '../../test/harness/commands.ts';
import { newStorage, serveHere } from '../../test/harness/program.ts';

const settings = await newStorage();
await serveHere(settings);
const { run, json, printed } = commandsOf('digest', settings);

test('creates, changes, lists, previews and deletes digests', async () => {
  assert.deepEqual(await printed('list'), ['', 'No digests yet. `digest preview` shows what one says.\n']);
  const [created, note] = await printed('create', '--to', 'cto@acme.test', '--chat');
  const id = created.trim();
  assert.match(id, /^dig_[0-9a-f]{20}$/);
  assert.match(note, /^Next: \d{4}-[-\dT:.]+Z\.\n[^]*SMTP_URL and EMAIL_FROM[^]*no channel named default/);
  const [listed] = await json('digest', 'list');
  assert.deepEqual(
    [listed.frequency, listed.team, listed.chat, listed.recipients[0].email],
    ['weekly', null, true, 'cto@acme.test'],
  );
  const people = ['--to', 'a@acme.test', '--to', 'b@acme.test'];
  const [, changed] = await printed('update', id, '--frequency', 'monthly', ...people, '--no-chat', '--off');
  assert.match(changed, /^It is off\.\n/);
  assert.match((await printed('list'))[0], /monthly +all +a@acme\.test, b@acme\.test +off\n/);
  assert.equal((await json('digest', 'update', id, '--team', '')).team, null);
  const [text] = await printed('preview', '--frequency', 'monthly');
  assert.match(text, /^Monthly digest: (.+) \(\$0\.00\)\n\nMonthly digest: \1\n/);
  assert.match((await printed('preview', '--html'))[0], /^<!doctype html>/);
  assert.deepEqual(await printed('delete', id), ['', `Deleted ${id}.\n`]);
});

test('names the option that is wrong', async () => {
  const cases: [string[], RegExp][] = [
    [['create'], /--to must have an address/],
    [['create', '--to', 'nobody'], /--to\[0\] must be an email address/],
    [['create', '--chat', '--team', 'ghosts'], /--team must be a team of the ownership rules/],
    [['preview', '--team', 'ghosts'], /--team must be a team of the ownership rules/],
    [['update', 'dig_none', '--on', '--off'], /--off/],
  ];
  for (const [options, message] of cases) {
    const { code, stdout, stderr } = await run(...options);
    assert.deepEqual([code, stdout], [2, ''], options.join(' '));
    assert.match(stderr, message);
  }
});
