import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf } from '../../test/harness/commands.ts';
import { newStorage, runCommand, serveHere } from '../../test/harness/program.ts';

const settings = await newStorage();
const created = await runCommand(['org', 'create', '--name', 'acme'], settings);
assert.equal(created.code, 0, created.stderr);
await serveHere(settings);
const { run, json, printed } = commandsOf('share', settings);

test('creates, lists and revokes links', async () => {
  const [url, note] = await printed('create', 'days=30&group_by=repository', '--days', '1');
  assert.match(url, /^http.*\/shared#link=runcost_share_[\w-]+\n$/);
  assert.match(note, /^Anyone with the link can see this view until 20.*Z\.\n$/);
  const [{ id, ...listed }] = await json('share', 'list');
  assert.deepEqual([listed.page, listed.author, listed.last_used_at], ['explore', 'cli', null]);
  assert.equal(listed.url, undefined);
  const [table] = await printed('list');
  assert.ok(table.includes(id) && !table.includes('runcost_share_'));
  const made = await json(
    'share',
    'create',
    'days=7',
    '--page',
    'overview',
    '--chart',
    'lines',
    '--name',
    'Board ',
  );
  assert.deepEqual([made.name, made.page, made.chart], ['Board', 'overview', 'lines']);
  assert.match(made.url, /#link=runcost_share_/);
  for (const each of [id, made.id]) {
    const [, stderr] = await printed('revoke', each);
    assert.equal(stderr, `Revoked ${each}.\n`);
  }
  assert.deepEqual(await printed('list'), ['', 'No share links.\n']);
});

test('creates badges and embeds', async () => {
  const [url, note] = await printed('badge', '--repo', 'acme/api', '--name', 'README');
  assert.match(url, /^http.*\/badge\/runcost_share_[\w-]+\.svg\n$/);
  assert.equal(note, 'Anyone with the link can see this amount until somebody revokes it.\n');
  const embed = await json('share', 'create', 'days=7', '--site', 'https://wiki.acme.example');
  assert.deepEqual([embed.kind, embed.sites], ['embed', ['https://wiki.acme.example']]);
  assert.match((await printed('list'))[0], / README +badge +period=month&repository=acme%2Fapi +cli +- +-\n/);
  const [framed] = await printed('create', 'days=7', '--site', 'https://wiki.acme.example');
  assert.match(
    framed,
    /^http\S+\/embed\/(\S+)\n<iframe src="http\S+\/embed\/\1" title="CI costs" .*<\/iframe>\n$/,
  );
  for (const { id } of await json('share', 'list')) await printed('revoke', id);
});

test('says what is wrong', async () => {
  const cases: [string[], RegExp][] = [
    [['create'], /missing required argument 'query'/],
    [['create', 'metric=dollars'], /<query>/],
    [['create', 'days=7', '--days', '91'], /--days/],
    [['create', 'days=7', '--site', 'wiki'], /--site\[0\] must be the address of a site/],
    [['badge', '--period', 'year'], /--period must/],
    [['badge', '--repo', 'acme/api', '--team', 'x'], /--team cannot be combined with/],
  ];
  for (const [options, message] of cases) {
    const { code, stdout, stderr } = await run(...options);
    assert.deepEqual([code, stdout], [2, ''], options.join(' '));
    assert.match(stderr, message);
  }
});
