import assert from 'node:assert/strict';
import type { RunReport } from '../../src/ledger/runs/report.ts';
import type { SharedTestApp, TestOrganization } from './app.ts';

export type File = { path: string; content: string };

export const workflow = (content: string, name = 'ci'): File => ({
  path: `.github/workflows/${name}.yml`,
  content,
});

export const ci = (jobs: string, on = 'push'): File => workflow(`name: CI\non: ${on}\njobs:\n${jobs}`);

export const exactly = (cost: number) => ({ monthly_cost: cost, low: cost, high: cost });

/** Asks the test app for estimates of `acme/api`. */
export function estimatesOf(testApp: SharedTestApp) {
  return {
    organizationWith: async (reports: RunReport[]): Promise<TestOrganization> => {
      const organization = await testApp.newOrganization({ plan: 'team' });
      await testApp.app.recorder.record(organization.orgId, reports);
      return organization;
    },
    estimate: async (organization: TestOrganization, base: File[], head: File[], fields: object = {}) => {
      const body = { repository: 'acme/api', base: { files: base }, head: { files: head }, ...fields };
      const answer = await organization.send('POST', '/api/v1/estimates', body);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data;
    },
  };
}
