import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandsOf, type Json } from '../../test/harness/commands.ts';
import { newStorage, serveHere } from '../../test/harness/program.ts';

const settings = await newStorage();
const { run, json, printed } = commandsOf('runner-pool', settings);
await json('org', 'create', '--name', 'acme');
await serveHere(settings);
const day = ['--from', '2026-01-01'];

test('a pool is created, gets a new price, and its costs are imported', async () => {
  const priced = ['--machines', '4', '--hourly', '0.5'];
  const [id] = await printed('create', '--name', 'Mac minis', '--label', 'mac-mini', ...day, ...priced);
  const pool = id.trim();
  await printed('update', pool, '--from', '2026-07-01', '--monthly', '400', '--resource', 'i-1');
  const file = join(settings.DATA_DIR, 'pools.csv');
  await writeFile(file, 'pool,month,cost_usd\ni-1,2026-08,310\n');
  const [tried, note] = await printed('import', file, '--dry-run');
  assert.match(tried, /Mac minis +2026-08-01 +2026-08-31 +\$310.00 +31\n/);
  assert.equal(note, 'Nothing was changed.\n');
  await printed('import', file);
  const [listed] = await printed('list');
  assert.match(listed, /label mac-mini +4 machines, \$0.50 an hour each from 2026-01-01 to 2026-06-30; /);
  assert.match(listed, /\$400.00 a month from 2026-07-01 +\$310.00, 2026-08-01 to 2026-08-31\n/);
  const [known]: Json = await json('runner-pool', 'list');
  assert.deepEqual(known.resource_ids, ['i-1']);
  await printed('delete', pool);
  assert.match((await printed('list'))[1], /No pools yet/);
});

test('a fault names the option', async () => {
  const named = ['--name', 'Macs'];
  for (const [args, message] of [
    [named, /--label, --regex or --group is required: exactly one of them/],
    [[...named, '--label', 'mac', '--monthly', '9'], /--from is required/],
    [[...named, '--label', 'mac', ...day, '--monthly', 'much'], /--monthly must be a number of US dollars/],
    [[...named, '--regex', '('], /--label, --regex or --group is not valid/],
    [
      [...named, '--label', 'mac', ...day, '--hourly', '1'],
      /--machines is required with --hourly|--machines is required/,
    ],
    [[...named, '--label', 'mac', ...day], /--monthly or --machines is required/],
  ] as [string[], RegExp][]) {
    const { code, stderr } = await run('create', ...args);
    assert.notEqual(code, 0);
    assert.match(stderr, message);
  }
  const { code, stderr } = await run('import', 'missing.csv');
  assert.notEqual(code, 0);
  assert.match(stderr, /missing.csv cannot be read/);
});
