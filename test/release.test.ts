import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { changelogWith, readFragment, refusalsOf, withVersion } from '../scripts/release.ts';
import { nodeFlags } from './harness/child.ts';

const root = join(import.meta.dirname, '..');
const good = { version: '0.2.0', current: '0.1.9', branch: 'main', changes: '', tags: ['v0.1.9'] };
const of = { version: '0.2.0', date: '2026-12-01' };

test('a release needs a later version, the branch main, and no changes', () => {
  assert.deepEqual(refusalsOf(good), []);
  assert.deepEqual(refusalsOf({ ...good, version: '0.1.9', tags: [] }), []);
  assert.deepEqual(refusalsOf({ ...good, version: '0.1.10' }), []);
  const wrong = [
    { version: 'v1' },
    { version: '0.1.8' },
    { version: '0.1.9' },
    { branch: 'try' },
    { changes: '?? a' },
  ];
  for (const each of wrong) assert.equal(refusalsOf({ ...good, ...each }).length, 1, JSON.stringify(each));
});

test('--help says what a release makes, and makes none', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...nodeFlags, 'scripts/release.ts', '--help'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^npm run release -- <version> \[--dry-run\]\n/);
});

test('the changelog gets the lines of the fragments below their capabilities', () => {
  const fragments = ['### Costs\n\n- **New.** Yes.\n', '### Alerts\n\n- Two\n  lines.\n'].map(readFragment);
  const begun =
    '# Changelog\n\nWords.\n\n## 0.2.0 (unreleased)\n\n### Costs\n\n- Old.\n\n### Runs\n\n- Old.\n';
  assert.equal(
    changelogWith(begun, fragments, of),
    '# Changelog\n\nWords.\n\n## 0.2.0 (2026-12-01)\n\n### Costs\n\n- Old.\n- **New.** Yes.\n\n### Runs\n\n- Old.\n\n' +
      '### Alerts\n\n- Two\n  lines.\n',
  );
  const before = '# Changelog\n\n## 0.1.0 (2026-11-29)\n\n### Costs\n\n- First.\n';
  assert.equal(
    changelogWith(before, fragments.slice(0, 1), of),
    `# Changelog\n\n## 0.2.0 (2026-12-01)\n\n### Costs\n\n- **New.** Yes.\n\n${before.slice('# Changelog\n\n'.length)}`,
  );
  assert.throws(() => readFragment('- no heading'));
});

test('the fragments and the changelog of today make a changelog that loses nothing', () => {
  const files = globSync('changelog.d/*.md', { cwd: root }).filter((file) => !file.endsWith('README.md'));
  const fragments = files.map((file) => readFragment(readFileSync(join(root, file), 'utf8')));
  const today = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const written = new Set(changelogWith(today, fragments, of).split('\n'));
  const lost = today.split('\n').filter((line) => !written.has(line));
  assert.deepEqual(
    lost.filter((line) => !line.endsWith('(unreleased)')),
    [],
  );
});

test('pages and the chart get the version, and other texts stay', () => {
  const text =
    "npx ./runcost-0.1.0.tgz\nVERSION=0.1.0 .\nversion: 0.1.0\nappVersion: '0.1.0'\nbefore 0.1.0, 10.1.0.0\n";
  assert.equal(
    withVersion(text, '0.1.0', '0.2.0'),
    "npx ./runcost-0.2.0.tgz\nVERSION=0.2.0 .\nversion: 0.2.0\nappVersion: '0.2.0'\nbefore 0.1.0, 10.1.0.0\n",
  );
});

test('the command refuses changes and a failed check, and makes package, bill of materials, image, commit and tag', () => {
  const folder = mkdtempSync(join(process.env['TEST_FOLDER'] ?? tmpdir(), 'release-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  const scripts = {
    check: 'test ! -e failing',
    test: 'true',
    prepack: 'mkdir -p dist && echo {} > dist/sbom.cdx.json',
  };
  write('package.json', JSON.stringify({ name: 'runcost', version: '0.1.0', files: ['dist'], scripts }));
  write('CHANGELOG.md', '# Changelog\n\n## 0.1.0 (2026-11-29)\n');
  write('changelog.d/README.md', 'How to write one.\n');
  write('changelog.d/more.md', '### Costs\n\n- More.\n');
  write('deploy/helm/Chart.yaml', 'version: 0.1.0\n');
  write('.gitignore', 'bin/\ndist/\nfailing\nrelease/\n');
  write('bin/docker', '#!/bin/sh\necho "$@" >> bin/docker.log\n');
  chmodSync(join(folder, 'bin/docker'), 0o755);
  const identity = {
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@acme.test',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@acme.test',
  };
  const env = {
    ...process.env,
    ...identity,
    PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`,
  };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' }).trim();
  const release = (...args: string[]) => {
    const command = [...nodeFlags, join(root, 'scripts/release.ts'), '0.2.0', ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    return { status, output: stdout + stderr };
  };
  git('init', '--quiet', '--initial-branch', 'main');
  git('add', '--all');
  const dirty = release();
  assert.equal(dirty.status, 1);
  assert.match(dirty.output, /No release\. There are uncommitted changes:\nA /);
  git('commit', '--quiet', '--message', 'Begin');
  write('failing', '');
  assert.equal(release().status, 1);
  rmSync(join(folder, 'failing'));

  const dry = release('--dry-run');
  assert.equal(dry.status, 0, dry.output);
  assert.match(dry.output, /## 0\.2\.0 \(\d{4}-\d\d-\d\d\)\n\n### Costs\n\n- More\./);
  assert.deepEqual([git('log', '--format=%s'), git('status', '--porcelain'), git('tag')], ['Begin', '', '']);

  const made = release();
  assert.equal(made.status, 0, made.output);
  assert.deepEqual(
    [git('log', '-1', '--format=%s'), git('status', '--porcelain'), git('tag')],
    ['Release 0.2.0', '', 'v0.2.0'],
  );
  assert.deepEqual(globSync('release/*', { cwd: folder }).toSorted(), [
    'release/runcost-0.2.0.cdx.json',
    'release/runcost-0.2.0.tgz',
  ]);
  assert.deepEqual(globSync('changelog.d/*', { cwd: folder }), ['changelog.d/README.md']);
  assert.equal(readFileSync(join(folder, 'deploy/helm/Chart.yaml'), 'utf8'), 'version: 0.2.0\n');
  const image = `build --tag runcost:0.2.0 --build-arg VERSION=0.2.0 --build-arg REVISION=${git('rev-parse', 'HEAD')} .`;
  assert.equal(readFileSync(join(folder, 'bin/docker.log'), 'utf8').split('\n').at(-2), image);
});

test('the workflow of CI runs .ci/run alone, and Node is the one of the image', () => {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const commands = [...read('.github/workflows/ci.yml').matchAll(/^ +- run: (.+)$/gm)].map(
    ([, command]) => command!,
  );
  assert.deepEqual(
    commands.map((command) => command.split(' ').at(-1)),
    ['.ci/run'],
  );
  assert.ok(read('Dockerfile').includes(`FROM node:${read('.nvmrc').trim()}-`));
});
