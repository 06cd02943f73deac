import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { newFolder, removeFolder } from './harness/storage.ts';
import { findProgram, needs } from './server/installed.ts';

const service = join(import.meta.dirname, '../deploy/runcost.service');

const analyzer = findProgram('systemd-analyze');

test(
  'systemd accepts the unit, and finds little that it could attack',
  needs(analyzer, 'systemd', 'systemd'),
  () => {
    const folder = newFolder();
    after(() => removeFolder(folder));
    const unit = join(folder, 'runcost.service');
    // It checks that the program is there.
    writeFileSync(unit, readFileSync(service, 'utf8').replace('/usr/local/bin/runcost', process.execPath));
    const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    assert.deepEqual(
      analyze('verify', '--man=no', unit)
        .stderr.split('\n')
        .filter((line) => line.includes('runcost')),
      [],
    );
    const { status, stdout } = analyze('security', '--offline=true', '--threshold=20', '--no-pager', unit);
    assert.equal(status, 0, stdout);
  },
);
