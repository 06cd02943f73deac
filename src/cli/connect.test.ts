import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf } from '../../test/harness/commands.ts';
import { newPlace, startFakeGitLab } from '../../test/harness/gitLabApi.ts';
import { newStorage, runCommand, serveHere } from '../../test/harness/program.ts';

const fake = await startFakeGitLab();
fake.groups = [newPlace(1, 'acme')];
fake.projects = Array.from({ length: 12 }, (_, index) => newPlace(20 + index, `acme/p${index}`));
const settings = { ...(await newStorage()), GITLAB_TOKEN: fake.token };
await serveHere(settings, { GITLAB_TOKEN: '' });
const address = ['--address', fake.url];
const { json, run, printed } = commandsOf('connect', settings);

test('connects the only group of the token, once', async () => {
  const [stdout, stderr] = await printed('gitlab', ...address);
  assert.match(stdout, /acme +added/);
  assert.match(stderr, /go to src_\w+\.\nGitLab sent its last pipeline as a test/);
  const again = await json('connect', 'gitlab', ...address);
  assert.deepEqual(again.webhooks, [{ path: 'acme', result: 'changed', error: null }]);
  assert.equal(fake.groups[0]!.hooks.length, 1);
});

test('goes through all projects where a group has no webhooks, and fails if one is refused', async () => {
  fake.hasGroupHooks = false;
  fake.closedProjects.add(31);
  const { code, stdout, stderr } = await run('gitlab', '--path', 'acme', ...address);
  assert.equal(code, 1);
  assert.equal(stdout.match(/ added/g)?.length, 11);
  assert.match(stdout, /acme\/p11 +failed +It needs the role Maintainer/);
  assert.match(stderr, /^12 of 12 projects$/m);
});

test('names what is missing or wrong', async () => {
  fake.groups.push(newPlace(2, 'other'));
  const cases: [args: string[], token: string, expected: RegExp][] = [
    [[], fake.token, /--path is required: the token reaches acme, other/],
    [['--path', 'acme'], '', /GITLAB_TOKEN is required/],
    [['--path', 'acme'], 'glpat-wrong', /GITLAB_TOKEN is unknown to this GitLab/],
    [['--path', 'none'], fake.token, /--path none: there is no such group or project/],
  ];
  for (const [args, GITLAB_TOKEN, expected] of cases) {
    const asked = ['connect', 'gitlab', ...args, ...address];
    const { code, stderr } = await runCommand(asked, { ...settings, GITLAB_TOKEN });
    assert.equal(code, 2, stderr);
    assert.match(stderr, expected);
  }
});
