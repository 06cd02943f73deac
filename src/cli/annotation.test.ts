import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf } from '../../test/harness/commands.ts';
import { newStorage, runCommand, serveHere } from '../../test/harness/program.ts';

const settings = await newStorage();
const created = await runCommand(['org', 'create', '--name', 'acme'], settings);
assert.equal(created.code, 0, created.stderr);
await serveHere(settings);
const { run, json, printed } = commandsOf('annotation', settings);

const add = ['add', 'Moved to larger runners', '--start', '2026-03-16'];

test('adds, lists and deletes notes', async () => {
  const [id, warning] = await printed(...add, '--end', '2026-03-17', '--scope', 'repository=acme/api');
  assert.equal(warning, 'The note is saved. No workflow of the repository acme/api is recorded yet.\n');
  assert.match(id, /^ann_[0-9a-f]+\n$/);
  const days = ['--from', '2026-03-01', '--to', '2026-03-31'];
  const [table] = await printed('list', ...days);
  assert.deepEqual(
    table
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/)),
    [
      ['ANNOTATION', 'START', 'END', 'TEXT', 'ABOUT', 'BY'],
      [id.trim(), '2026-03-16', '2026-03-17', 'Moved to larger runners', 'repository=acme/api', 'cli'],
    ],
  );
  const [note] = await json('annotation', 'list', ...days, '--filter', 'repository=acme/*');
  assert.deepEqual([note.id, note.scope, note.author], [id.trim(), { repository: 'acme/api' }, 'cli']);
  assert.deepEqual(await json('annotation', 'list', ...days, '--filter', 'repository=acme/web'), []);
  const whole = await json('annotation', ...add);
  assert.deepEqual([whole.start, whole.end, whole.scope], ['2026-03-16', '2026-03-16', null]);
  const changed = ['--end', '2026-03-18', '--scope', 'none', '--json'];
  const { stdout } = await run('update', id.trim(), ...changed);
  const { end, scope, text } = JSON.parse(stdout);
  assert.deepEqual([end, scope, text], ['2026-03-18', null, 'Moved to larger runners']);
  for (const each of [id.trim(), whole.id]) {
    const [, stderr] = await printed('delete', each);
    assert.equal(stderr, `Deleted ${each}.\n`);
  }
  const [empty, note2] = await printed('list', ...days);
  assert.deepEqual([empty, note2], ['', 'No annotations on these days.\n']);
});

test('says which option is wrong', async () => {
  const cases: [string[], RegExp][] = [
    [['add', 'text'], /required option '--start/],
    [['add', ' ', '--start', '2026-03-16'], /<text> must not be blank/],
    [['add', 'text', '--start', '2026-03-32'], /--start must/],
    [[...add, '--scope', 'repo'], /--scope must be NAME=VALUE/],
    [[...add, '--scope', 'hour=09'], /--scope must name one of repository, workflow, /],
    [[...add, '--scope', 'workflow=CI'], /--scope workflow is not the id of a workflow/],
    [['list', '--from', '2026-03-02', '--to', '2026-03-01'], /--from must not be after/],
  ];
  for (const [options, message] of cases) {
    const { code, stdout, stderr } = await run(...options);
    assert.deepEqual([code, stdout], [2, ''], options.join(' '));
    assert.match(stderr, message);
  }
});
