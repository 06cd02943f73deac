import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after } from 'node:test';
import { gzipSync } from 'node:zlib';
import { csvLine } from '../../src/platform/lib/csv.ts';

export type UsageCells = Record<string, string | number>;

/** The part of CircleCI's API that Runcost uses, as https://docs-experimental.circleci.com/usage describes it. */
export type FakeCircleCi = {
  url: string;
  token: string;
  organizationId: string;
  /** Rows of usage data. An export has those whose `JOB_RUN_STOPPED_AT` is in it, in several files. */
  rows: UsageCells[];
  exports: { id: string; start: string; end: string }[];
  /** How many times an export is `processing` before it is completed. */
  slowness: number;
  failure: string | null;
  /** Answers to the next requests. */
  refusals: { status: number; body?: object; headers?: Record<string, string> }[];
  requests: string[];
  /** Headers of the downloads, which must not have the token. */
  downloads: IncomingMessage['headers'][];
};

/** Uses a free port. Stops after the test file. */
export async function startFakeCircleCi(): Promise<FakeCircleCi> {
  const fake: FakeCircleCi = {
    url: '',
    token: 'CCIPAT_TESTTOKENabcdefghijk',
    organizationId: 'f22b6566-597d-46d5-ba74-99ef5bb3d85c',
    rows: [],
    exports: [],
    slowness: 0,
    failure: null,
    refusals: [],
    requests: [],
    downloads: [],
  };
  const server = createServer((request, response) => {
    void (async () => {
      const { pathname } = new URL(request.url!, fake.url);
      fake.requests.push(`${request.method} ${pathname}`);
      const refusal = fake.refusals.shift();
      const { status, body, headers = {} } = refusal ?? (await answerOf(fake, request, pathname));
      response.writeHead(status, headers);
      response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body ?? { message: 'No.' }));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fake;
}

type Answered = { status: number; body: object | Buffer; headers?: Record<string, string> };

const refused = (status: number, message: string): Answered => ({ status, body: { message } });
const filesOfExport = 2;

async function answerOf(fake: FakeCircleCi, request: IncomingMessage, path: string): Promise<Answered> {
  const [, downloaded, number] = /^\/download\/([\w-]+)\/(\d+)$/.exec(path) ?? [];
  if (downloaded !== undefined) {
    fake.downloads.push(request.headers);
    return { status: 200, body: fileOf(fake, downloaded, Number(number)) };
  }
  if (request.headers['circle-token'] !== fake.token) return refused(401, 'You must log in first.');
  if (path === '/me') return { status: 200, body: { id: 'u', login: 'ada', name: 'Ada' } };
  const [, organization, id] = /^\/organizations\/([^/]+)\/usage_export_job(?:\/([\w-]+))?$/.exec(path) ?? [];
  if (organization !== fake.organizationId) return refused(404, 'Organization not found.');
  if (request.method === 'POST') {
    const { start, end } = (await json(request)) as { start: string; end: string };
    const created = { id: `export-${fake.exports.length + 1}`, start, end };
    fake.exports.push(created);
    return {
      status: 201,
      body: { usage_export_job_id: created.id, state: 'created', start, end, download_urls: [] },
    };
  }
  if (!fake.exports.some((each) => each.id === id)) return refused(404, 'Not found.');
  const named = { usage_export_job_id: id };
  if (fake.failure !== null)
    return {
      status: 200,
      body: { ...named, state: 'failed', download_urls: null, error_reason: fake.failure },
    };
  if (fake.slowness > 0) {
    fake.slowness--;
    return { status: 200, body: { ...named, state: 'processing', download_urls: [] } };
  }
  const urls = Array.from({ length: filesOfExport }, (_, index) => `${fake.url}/download/${id}/${index}`);
  return { status: 200, body: { ...named, state: 'completed', download_urls: urls } };
}

function fileOf(fake: FakeCircleCi, id: string, number: number): Buffer {
  const { start, end } = fake.exports.find((each) => each.id === id)!;
  const rows = fake.rows.filter((row, index) => {
    const stopped = `${String(row['JOB_RUN_STOPPED_AT']).slice(0, 19).replace(' ', 'T')}.000Z`;
    return index % filesOfExport === number && stopped >= start && stopped <= end;
  });
  const columns = Object.keys(usageRow({}));
  const lines = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '\\N')))];
  return gzipSync(lines.map(csvLine).join(''));
}

/** A row of usage data in the form of CircleCI's export. */
export function usageRow(cells: UsageCells): UsageCells {
  return {
    ORGANIZATION_ID: 'f22b6566-597d-46d5-ba74-99ef5bb3d85c',
    ORGANIZATION_NAME: 'circleci',
    PROJECT_ID: '84996744-a854-4f5e-aea3-04e2851dc1d2',
    PROJECT_NAME: 'webhook-service',
    VCS_NAME: 'github',
    VCS_URL: 'https://github.com/circleci/webhook-service',
    VCS_BRANCH: 'main',
    PIPELINE_ID: '1285fe1d-d3a6-44fc-8886-8979558254c4',
    PIPELINE_NUMBER: 130,
    PIPELINE_TRIGGER_SOURCE: 'webhook',
    WORKFLOW_ID: 'fda08377-fe7e-46b1-8992-3a7aaecac9c3',
    WORKFLOW_NAME: 'build-test-deploy',
    JOB_ID: '8b91f9a8-7975-4e60-916c-f0152ccbc937',
    JOB_NAME: 'test',
    JOB_RUN_NUMBER: 136,
    JOB_RUN_QUEUED_AT: '2021-09-01 22:49:20',
    JOB_RUN_STARTED_AT: '2021-09-01 22:49:28',
    JOB_RUN_STOPPED_AT: '2021-09-01 22:49:34',
    JOB_BUILD_STATUS: 'success',
    RESOURCE_CLASS: 'large',
    OPERATING_SYSTEM: 'linux',
    EXECUTOR: 'docker',
    PARALLELISM: 1,
    JOB_RUN_SECONDS: 6,
    COMPUTE_CREDITS: 2,
    DLC_CREDITS: 0,
    USER_CREDITS: 0,
    STORAGE_CREDITS: 0,
    NETWORK_CREDITS: 0,
    LEASE_CREDITS: 0,
    TOTAL_CREDITS: 2,
    ...cells,
  };
}
