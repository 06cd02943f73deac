import assert from 'node:assert/strict';
import { gitHubJob, gitHubRun } from '../payloads/gitHub.ts';
import type { Answer, SharedTestApp, TestOrganization } from './app.ts';
import { bill, importCsv, lineOf } from './bills.ts';
import { newSource } from './source.ts';

const path = '/api/v1/bills/reconciliation';

type Work = {
  repository?: string;
  day?: string;
  minutes?: number;
  label?: string;
  private?: boolean;
  /** Of the workflow's file, or what GitHub calls its own workflows. */
  path?: string;
  /** Defaults to 10:00. */
  start?: string;
  /** The runner group of a larger or self-hosted runner. */
  group?: string;
};

let runs = 7_100_000_000;

/** An organization that can import bills, reconcile, and receive jobs of five minutes on Linux from GitHub. */
export async function newBilledCompany(
  testApp: SharedTestApp,
  options: { plan?: 'free' | 'pro' } = { plan: 'pro' },
) {
  const organization = await testApp.newOrganization(options);
  const source = await newSource(testApp, organization);
  return {
    organization,
    work: async (work: Work = {}) => {
      const { repository = 'acme/api', day = '2026-03-02', minutes = 5, label = 'ubuntu-latest' } = work;
      const id = ++runs;
      const started_at = work.start ?? `${day}T10:00:00Z`;
      const completed_at = new Date(Date.parse(started_at) + minutes * 60_000).toISOString();
      const shared = { repository, private: work.private ?? true };
      const workflow = work.path === undefined ? {} : { path: work.path };
      const runner = work.group ? { runner_group_name: work.group, runner_name: 'box' } : {};
      const times = { created_at: started_at, started_at, completed_at };
      const run = gitHubRun({ id, created_at: started_at, updated_at: completed_at, ...shared, ...workflow });
      const job = gitHubJob({
        id: id + 1_000_000_000,
        run_id: id,
        labels: [label],
        ...times,
        ...shared,
        ...runner,
      });
      assert.equal((await source.deliver('workflow_run', run)).status, 202);
      assert.equal((await source.deliver('workflow_job', job)).status, 202);
    },
    bill: async (...lines: Parameters<typeof lineOf>[0][]) => {
      const answer = await importCsv(testApp, organization, bill(...lines.map(lineOf)));
      assert.equal(answer.status, 201, answer.text);
      return answer.body.data.id as string;
    },
    ask: (query: Record<string, string | number> = {}) => ask(organization, query),
  };
}

async function ask(
  organization: TestOrganization,
  query: Record<string, string | number>,
): Promise<Answer['body']> {
  const answer = await organization.get(path, query);
  assert.equal(answer.status, 200, answer.text);
  assertAddsUp(answer.body);
  return answer.body;
}

const nanos = (dollars: number) => BigInt(Math.round(dollars * 1e9));

function assertAddsUp({ data, totals, pagination }: Answer['body']): void {
  for (const row of [...data, totals]) {
    const parts = Object.values(row.explained as Record<string, number>).reduce(
      (sum, part) => sum + nanos(part),
      0n,
    );
    assert.equal(parts + nanos(row.unexplained), nanos(row.difference));
    assert.equal(nanos(row.our_cost) - nanos(row.bill_net), nanos(row.difference));
    const netParts = Object.values(row.net_explained as Record<string, number>).reduce(
      (sum, part) => sum + nanos(part),
      0n,
    );
    assert.equal(netParts + nanos(row.net_unexplained), nanos(row.net_difference));
    assert.equal(nanos(row.our_net) - nanos(row.bill_net), nanos(row.net_difference));
  }
  if (pagination.total !== data.length) return;
  for (const name of [
    'our_cost',
    'our_net',
    'net_unexplained',
    'bill_net',
    'bill_gross',
    'difference',
    'unexplained',
    'bill_minutes',
    'our_minutes',
  ]) {
    const sum = data.reduce((total: bigint, row: Record<string, number>) => total + nanos(row[name]!), 0n);
    assert.equal(sum, nanos(totals[name]), name);
  }
}

export function causesOf({ explained, unexplained }: Answer['body']): Record<string, number> {
  const all = Object.entries({ ...explained, unexplained } as Record<string, number>);
  return Object.fromEntries(all.filter(([, amount]) => amount !== 0));
}
