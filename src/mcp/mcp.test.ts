/** What the tools of `runcost mcp` answer; `test/mcp.system.test.ts` starts the command. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { request, startTestApp } from '../../test/harness/app.ts';
import { newJob, newRun, submit } from '../../test/harness/submission.ts';
import { createClient } from '../client.ts';
import { cliActor } from '../platform/lib/actor.ts';
import { updateOrganization } from '../tenancy/organizations/organizations.ts';
import { newServer } from './server.ts';

const testApp = await startTestApp();
const address = await testApp.listen();
const organization = await testApp.newOrganization();
const token = await organization.newToken('viewer', ['costs:read']);
const failed = newRun({ conclusion: 'failure', jobs: [newJob({ conclusion: 'failure' })] });
await submit(organization, newRun({ branch: 'main' }), failed, newRun({ repo_name: 'acme/web' }));

const folder = mkdtempSync(join(tmpdir(), 'runcost-mcp-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const [here, there] = InMemoryTransport.createLinkedPair();
await newServer(createClient({ url: address, token }), address).connect(here);
const client = new Client({ name: 'test', version: '1' });
await client.connect(there);
after(() => client.close());

async function call(name: string, given?: Record<string, unknown>) {
  const { content, isError = false } = await client.callTool({ name, ...(given && { arguments: given }) });
  const [first, ...others] = content;
  assert.ok(first?.type === 'text' && others.length === 0);
  return { isError, text: first.text };
}

/** The answer of a call that succeeds. */
async function answerOf(name: string, given?: Record<string, unknown>) {
  const { isError, text } = await call(name, given);
  assert.ok(!isError, text);
  return JSON.parse(text);
}

test('the tools are the verbs for assistants, with the fields of the API, and only read', async () => {
  assert.match(client.getInstructions()!, new RegExp(`${address}.* US dollars .* days are UTC`));
  const { tools } = await client.listTools();
  const { body: document } = await request(testApp.server, { method: 'GET', url: '/openapi.json' });
  type Parameter = { name: string; required?: boolean; schema: { type: string; enum?: string[] } };
  type Described = { operationId?: string; summary: string; parameters: Parameter[] };
  const operations = Object.values(document.paths as Record<string, { get?: Described }>);
  const shapeOf = ({ type, enum: words }: { type?: string; enum?: string[] }) => [
    type === 'integer' ? 'number' : type,
    words?.toSorted(),
  ];
  assert.equal(tools.length, 21);
  for (const { name, title, inputSchema, annotations } of tools) {
    assert.equal(annotations?.readOnlyHint, true, name);
    if (name === 'estimate') continue;
    const found = operations.find(({ get }) => get?.operationId?.replaceAll('-', '_') === name)!.get!;
    const asked = (found.parameters ?? []).filter((each) => each.name !== 'org_id');
    assert.equal(title, found.summary);
    assert.deepEqual(
      Object.fromEntries(
        Object.entries(inputSchema.properties!).map(([field, each]) => [field, shapeOf(each as never)]),
      ),
      Object.fromEntries(asked.map((each) => [each.name, shapeOf(each.schema)])),
      name,
    );
    const required = asked.filter((each) => each.required).map((each) => each.name);
    assert.deepEqual(inputSchema.required, required, name);
  }
});

test('each tool answers in the words of the API', async () => {
  const question = { group_by: 'repository', repository: ['acme/*'], days: 7 };
  const costs = await answerOf('cost_list', question);
  const { body } = await organization.get('/api/v1/costs', { ...question, repository: 'acme/*' });
  assert.deepEqual(costs, body);
  assert.equal(costs.data.total.value, 0.12);

  const change = await answerOf('cost_change_get', { days: 1 });
  assert.match(change.data.sentence, /^CI cost \$0\.12, and nothing on the day before/);
  const waste = await answerOf('waste_fix_list', { category: 'failed', repo: 'acme/api', page: 1 });
  assert.deepEqual([waste.data.waste_cost, waste.pagination.page], [0.04, 1]);
  const { data: runs } = await answerOf('cost_run_list', { branch: ['main'] });
  const run = await answerOf('run_get', { id: runs[0].id });
  assert.equal(run.data.id, runs[0].id);
  const empty = ['dashboard_outlook_get', 'dashboard_projection_get', 'dashboard_data_quality_get'];
  for (const name of [...empty, 'bill_reconcile', 'price_unpriced_runner_list', 'annotation_list'])
    await answerOf(name);
});

test('an estimate compares a folder, or two refs of a clone, and runs nothing of it', async () => {
  const workflows = join(folder, 'clone/.github/workflows');
  mkdirSync(workflows, { recursive: true });
  const write = (runner: string) =>
    writeFileSync(join(workflows, 'ci.yml'), `on: push\njobs:\n  test: { runs-on: ${runner} }\n`);
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-C', join(folder, 'clone'), '-c', 'user.name=m', '-c', 'user.email=m@acme.test', ...args],
      { stdio: 'pipe' },
    );
  git('init', '--quiet', '--initial-branch=main');
  write('ubuntu-latest');
  git('add', '.');
  git('commit', '--quiet', '--message=First');
  write('macos-latest');
  git('commit', '--quiet', '--all', '--message=Second');
  const watched = join(folder, 'watched');
  git('config', 'core.fsmonitor', `touch ${watched}; false`);
  const given = { folder: join(folder, 'clone'), repository: 'acme/api' };
  const { data: working } = await answerOf('estimate', given);
  assert.equal(working.jobs[0].status, 'unchanged');
  const { data: compared } = await answerOf('estimate', { ...given, base: 'main~1', head: 'main', days: 7 });
  assert.deepEqual(
    [compared.days, compared.jobs[0].status, compared.jobs[0].runner],
    [7, 'changed', 'macos-latest'],
  );
  assert.ok(!existsSync(watched));

  const faults: [Record<string, unknown>, RegExp][] = [
    [{ ...given, base: 'nowhere' }, /^base is not a folder or a commit: nowhere\.?$/],
    [{ ...given, base: '--output=x' }, /^base is not a folder or a commit/],
    [{ ...given, repository: 'api' }, /^repository must be owner\/name, such as acme\/api/],
    [{ ...given, days: 91 }, /^days must be at most 90\. Request \S+\.$/],
    [{ ...given, repo: 'acme/api' }, /^repo is unknown; did you mean repository\? Request \S+\.$/],
    [{ folder: given.folder }, /^repository is required, such as acme\/api/],
    [{ folder: join(folder, 'missing') }, /^folder must be a folder of this computer, not /],
  ];
  for (const [wrong, expected] of faults) {
    const { isError, text } = await call('estimate', wrong);
    assert.ok(isError);
    assert.match(text, expected);
  }
});

test('a wrong question names the field and the fix, in the words of the API', async () => {
  const faults: [string, Record<string, unknown>, RegExp][] = [
    ['cost_list', { dayz: 7 }, /^dayz is unknown; did you mean days\? Request \S+\.$/],
    ['cost_list', { days: 'many' }, /^days must be integer\. Request \S+\.$/],
    [
      'cost_list',
      { metric: 'euros' },
      /^metric must be one of: cost, net_cost, full_cost, minutes, jobs, runs\. /,
    ],
    ['cost_list', { from: 'yesterday' }, /^from must be a calendar day such as 2026-01-31\. /],
    ['cost_list', { group_by: 'repo' }, /^group_by.*repository.* Request \S+\.$/],
    ['cost_list', { branch: Array.from({ length: 50 }, () => 'x'.repeat(400)) }, /Give fewer .* values/],
    ['waste_fix_list', { category: 'idle' }, /^category must be one of: rounding, failed/],
    ['waste_fix_list', { from: '2026-03-01' }, /pair\. Request \S+\.$/],
    ['run_get', {}, /^id is required\.?$/],
    ['run_get', { id: '..' }, /^id must not be '\.\.'\.?$/],
    ['run_get', { id: 'run_0' }, /^.* Request \S+\.$/],
  ];
  for (const [name, given, expected] of faults) {
    const { isError, text } = await call(name, given);
    assert.ok(isError, name);
    assert.match(text, expected);
    assert.doesNotMatch(text, /query\.|body\.| {2}/);
  }
});

test('an answer says which days it covers if the plan shows fewer than asked', async () => {
  const ctx = { ...testApp.app, actor: cliActor(organization.orgId) };
  await updateOrganization(ctx, { plan: 'free' });
  const { data } = await answerOf('cost_list', { days: 31 });
  assert.equal(data.period.days, 30);
  await updateOrganization(ctx, { plan: 'team' });
});
