import { beforeEach } from 'node:test';
import { providerOfApi } from '../../src/intake/gitHubApps/manifest.ts';
import { startTestApp, type TestOrganization } from './app.ts';
import { daily } from './ciHistory.ts';
import { startFakeGitHub } from './gitHubApi.ts';
import { newFakePulls } from './gitHubPulls.ts';
import { gitHubCommit, pullRequestsOf } from './pullRequests.ts';

export const path = '.github/workflows/ci.yml';
export const content = `name: CI # everything
on: pull_request
jobs:
  test:
    runs-on: ubuntu-latest
`;
export const limited = content + '    timeout-minutes: 10\n';
export const main = 'd'.repeat(40);

/** Organizations with a fix that limits the time of a job, in acme/api at a fake GitHub. */
export async function startFixes() {
  const fake = await startFakeGitHub();
  const testApp = await startTestApp({ GITHUB_API_URL: fake.url });
  const { installApp, newInstalled } = pullRequestsOf(testApp, fake);

  beforeEach(() => {
    testApp.clock.set('2026-03-18T12:00:00Z');
    fake.pulls = newFakePulls();
    fake.repositories.set('acme/api', { runs: [], about: { default_branch: 'main' } });
    fake.pulls.branches.set(
      'acme/api',
      new Map([
        ['main', main],
        ['feature/a b', gitHubCommit],
      ]),
    );
    fake.pulls.trees.set(`acme/api@${main}`, { [path]: content, 'README.md': '# Hello' });
    fake.pulls.trees.set(`acme/api@${gitHubCommit}`, { [path]: limited });
    Object.assign(fake, { remaining: 5_000, interruptions: [], requests: [] });
  });

  /** A job that takes five minutes, and once hung for five hours. Its fix limits its time. */
  async function record(
    organization: TestOrganization,
    provider = providerOfApi(fake.url),
    labels = ['ubuntu-latest'],
  ): Promise<string> {
    const jobs = [{ name: 'test', minutes: 5, labels }];
    const runs = daily('2026-03-01', '2026-03-16', { event: 'pull_request', jobs });
    const hung = daily('2026-03-17', '2026-03-17', { jobs: [{ name: 'test', minutes: 300, labels }] });
    for (const run of hung) for (const job of run.jobs) job.rawConclusion = 'timed_out';
    await testApp.app.recorder.record(
      organization.orgId,
      [...runs, ...hung].map((run) => ({ ...run, provider })),
    );
    const { fixes } = (await organization.get('/api/v1/waste/fixes')).body.data;
    return fixes.find(({ category }: { category: string }) => category === 'failed').id;
  }

  async function newFix(settings: object = { open_fixes: true }) {
    const organization = await newInstalled(settings);
    const id = await record(organization);
    const patch = (body: object = {}, token?: string) =>
      organization.send('POST', `/api/v1/fixes/${id}/patch`, body, token);
    const open = (token?: string) => organization.send('POST', `/api/v1/fixes/${id}/pull-request`, {}, token);
    return { organization, id, patch, open };
  }

  return { fake, testApp, installApp, newInstalled, record, newFix };
}
