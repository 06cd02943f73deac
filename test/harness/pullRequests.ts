import assert from 'node:assert/strict';
import { gitHubJob, gitHubRun, type Payload } from '../payloads/gitHub.ts';
import type { TestApp, TestOrganization } from './app.ts';
import type { FakeGitHub } from './gitHubApi.ts';
import { newFakeApp } from './gitHubApps.ts';
import { newSource, type TestSource } from './source.ts';

export type Connected = TestOrganization & { source: TestSource };

type Ended = {
  number?: number | null;
  commit?: string;
  created_at?: string;
  conclusion?: string;
  id?: number;
  /** The repository of the pull request's head, if it is a fork. GitHub's events then name no number. */
  fork?: string | null;
  installation?: number;
  branch?: string;
};

export const gitHubCommit = 'a'.repeat(40);

/** Organizations whose App comments on pull requests of acme/api, and the events of runs there. */
export function pullRequestsOf(testApp: TestApp, fake: FakeGitHub) {
  const { clock, worker } = testApp;
  const app = newFakeApp();
  let runs = 0;

  /** Has a source, and comments are on. */
  async function newConnected(settings: object = {}): Promise<Connected> {
    const organization = await testApp.newOrganization();
    const source = await newSource(testApp, organization);
    const turned = await organization.send('PUT', '/api/v1/pull-request-settings', {
      enabled: true,
      ...settings,
    });
    assert.equal(turned.status, 200, turned.text);
    return { ...organization, source };
  }

  /** Has an App that may comment. */
  async function newInstalled(settings: object = {}): Promise<Connected> {
    const connected = await newConnected(settings);
    await installApp(connected, connected.source.id);
    return connected;
  }

  async function installApp(organization: TestOrganization, sourceId: string): Promise<void> {
    const credentials = { kind: 'app', app_id: '1', installation_id: '2', private_key: app.pem };
    const set = await organization.send('PUT', `/api/v1/sources/${sourceId}/credentials`, credentials);
    assert.equal(set.status, 200, set.text);
    await worker.processAll(); // The nightly check of new credentials.
  }

  /** Delivers the events of a run that costs $0.008, from this fake server or from github.com. */
  async function deliverRun({ source }: Connected, ended: Ended = {}, host = fake.url): Promise<void> {
    const { number = 42, commit = gitHubCommit, conclusion = 'success', fork, installation = 2 } = ended;
    const { branch = 'fix' } = ended;
    const { created_at = new Date(clock.now().getTime() - 600_000).toISOString() } = ended;
    const { id = ++runs } = ended;
    const common = { repository: 'acme/api', created_at };
    const pull_requests = number === null || fork ? [] : [{ number, head: { ref: branch } }];
    const run = { id, event: 'pull_request', head_branch: branch, pull_requests, conclusion };
    for (const [event, payload] of [
      ['workflow_job', gitHubJob({ ...common, id, run_id: id })],
      ['workflow_run', gitHubRun({ ...common, ...run })],
    ] as const) {
      Object.assign(payload['repository'] as Payload, { html_url: `${host}/acme/api` });
      const head_repository = fork === null ? null : { full_name: fork ?? 'acme/api' };
      if (event === 'workflow_run')
        Object.assign(payload['workflow_run'] as Payload, { head_sha: commit, head_repository });
      const { status, text } = await source.deliver(event, {
        ...payload,
        installation: { id: installation },
      });
      assert.equal(status, 202, text);
    }
  }

  async function endRun(organization: Connected, ended: Ended = {}): Promise<void> {
    await deliverRun(organization, ended);
    await worker.processAll();
  }

  async function stateOf(organization: TestOrganization) {
    const { body } = await organization.get('/api/v1/pull-request-comments');
    const [{ status, error, due_at, is_comment_deleted }] = body.data;
    return { status, error, due_at, is_comment_deleted };
  }

  async function later(seconds: number): Promise<void> {
    clock.forward(seconds);
    await worker.processAll();
  }

  return { deliverRun, endRun, installApp, later, newConnected, newInstalled, nextId: () => ++runs, stateOf };
}
