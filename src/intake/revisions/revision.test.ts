import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { originRepository, readRevision } from './revision.ts';

const folder = mkdtempSync(join(tmpdir(), 'runcost-revision-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const git = (...args: string[]) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=mona', '-c', 'user.email=mona@acme.test', ...args], {
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();

test('a clone without all files does not run the command of its remote', async () => {
  git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(folder, 'ci.yml'), 'jobs: {}\n');
  git('add', '.');
  git('commit', '--quiet', '--message=First');
  const blob = git('rev-parse', 'HEAD:ci.yml');
  rmSync(join(folder, '.git/objects', blob.slice(0, 2), blob.slice(2)));
  const ran = join(folder, 'ran');
  for (const [name, value] of [
    ['core.repositoryFormatVersion', '1'],
    ['extensions.partialClone', 'origin'],
    ['protocol.ext.allow', 'always'],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.url', `ext::touch ${ran}`],
  ] as const)
    git('config', name, value);
  const kinds = [
    {
      isEntry: (path: string) => path === 'ci.yml',
      includedBy: async () => [],
      read: async () => ({ workflows: [], unresolved: [] }),
    },
  ];
  await assert.rejects(readRevision({ side: 'head', given: 'main', folder }, kinds), {
    code: 'git_failed',
  });
  assert.ok(!existsSync(ran));
});

test('the repository is the path of the remote, and never its password', async () => {
  const clone = join(folder, 'remote');
  execFileSync('git', ['init', '--quiet', clone]);
  const setRemote = (url: string) => execFileSync('git', ['-C', clone, 'config', 'remote.origin.url', url]);
  for (const url of [
    'git@github.com:acme/api.git',
    'https://github.com/acme/api',
    'https://user:s3cretpw@github.com/acme/api.git/',
    'git+ssh://git@github.com:22/acme/api.git',
  ]) {
    setRemote(url);
    assert.equal(await originRepository(clone), 'acme/api');
  }
  for (const url of [
    'https://user:s3cretpw@gitlab.com',
    'https://user:s3cretpw@gitlab.com/',
    'https://user:s3/cretpw@gitlab.com/acme/api',
    'https:/user:s3cretpw@gitlab.com/acme/api',
    'https://gitlab.com/acme/api?private_token=s3cretpw',
    'user:s3cretpw@gitlab.com:',
  ]) {
    setRemote(url);
    await assert.rejects(originRepository(clone), /^(?!.*cretpw).*repository is required/, url);
  }
});
