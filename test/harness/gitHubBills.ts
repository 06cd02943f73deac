import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';

export type UsageItem = {
  date: string;
  product: string;
  sku: string;
  quantity: number;
  unitType: string;
  pricePerUnit: number;
  grossAmount: number;
  discountAmount: number;
  netAmount: number;
  organizationName?: string;
  repositoryName?: string;
};

/** GitHub's side of bills. */
export type FakeBills = {
  /** Lines by `organizations/acme` or `users/ada`. */
  items: Map<string, UsageItem[]>;
  /** What GitHub answers in place of lines. */
  otherAnswer: Record<string, unknown> | Record<string, unknown>[] | null;
  /** The files of each report of an enterprise, by its first day. */
  files: Map<string, string[]>;
  /** Requested reports, and how often each was looked at. */
  reports: { start: string; end: string; looks: number }[];
  /** How often a report is not ready. */
  slowLooks: number;
  hasFailed: boolean;
};

export function newFakeBills(): FakeBills {
  return {
    items: new Map(),
    otherAnswer: null,
    files: new Map(),
    reports: [],
    slowLooks: 1,
    hasFailed: false,
  };
}

/** Five minutes on Linux of acme/api, as GitHub writes it. */
export function usageItem(fields: Partial<UsageItem>): UsageItem {
  const { quantity = 5, pricePerUnit = 0.008, discountAmount = 0 } = fields;
  const grossAmount = fields.grossAmount ?? Number((quantity * pricePerUnit).toFixed(9));
  return {
    date: '2026-03-02T00:00:00Z',
    product: 'Actions',
    sku: 'Actions Linux',
    quantity,
    unitType: 'Minutes',
    pricePerUnit,
    grossAmount,
    discountAmount,
    netAmount: Number((grossAmount - discountAmount).toFixed(9)),
    organizationName: 'acme',
    repositoryName: 'api',
    ...fields,
  };
}

/** Null if the request is not about the usage of an account that there is. */
export function usageAt(
  { items, otherAnswer }: FakeBills,
  { pathname, searchParams }: URL,
): FakeBills['otherAnswer'] {
  const [, account] = /^\/((?:organizations|users)\/[^/]+)\/settings\/billing\/usage$/.exec(pathname) ?? [];
  const lines = items.get(account ?? '');
  if (!lines) return null;
  if (otherAnswer) return otherAnswer;
  const [year, month, day] = ['year', 'month', 'day'].map((name) => searchParams.get(name)?.padStart(2, '0'));
  // Without a day, GitHub answers with the first of each month.
  const asked = `${year ?? '2026'}-${month ?? '..'}-${day ?? '01'}`;
  return { usageItems: lines.filter(({ date }) => new RegExp(`^${asked}`).test(date)) };
}

type Answered = { status: number; body: unknown; sent?: unknown };

/** Null if the request is not about reports of an enterprise. */
export function answerOfReports(
  bills: FakeBills,
  request: IncomingMessage,
  url: URL,
): Promise<Answered> | null {
  const [, enterprise, id] =
    /^\/enterprises\/([^/]+)\/settings\/billing\/reports(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
  if (enterprise !== 'globex') return null;
  return id === undefined ? requestReport(bills, request) : Promise.resolve(lookAt(bills, id));
}

async function requestReport(bills: FakeBills, request: IncomingMessage): Promise<Answered> {
  const sent = JSON.parse(await text(request)) as { start_date: string; end_date: string };
  bills.reports.push({ start: sent.start_date, end: sent.end_date, looks: 0 });
  return { status: 202, body: reportBody(bills, bills.reports.length - 1, 'processing'), sent };
}

function lookAt(bills: FakeBills, id: string): Answered {
  const index = Number(id.slice(-4));
  const report = bills.reports[index]!;
  const isReady = report.looks++ >= bills.slowLooks;
  const ended = bills.hasFailed ? 'failed' : 'completed';
  return { status: 200, body: reportBody(bills, index, isReady ? ended : 'processing') };
}

function reportBody({ reports, files }: FakeBills, index: number, status: string) {
  const { start, end } = reports[index]!;
  const id = `a1b2c3d4-e5f6-7890-abcd-ef123456${String(index).padStart(4, '0')}`;
  const urls = status === 'completed' ? { download_urls: files.get(start) ?? [] } : {};
  return { id, report_type: 'summarized', start_date: start, end_date: end, status, ...urls };
}

export type FileHost = {
  url: string;
  /** By path. A status in place of a text answers it. */
  files: Map<string, string | number>;
  requests: { path: string; authorization: string | undefined }[];
};

/** Where GitHub keeps files of reports: another host, with signed addresses. Stops after the test file. */
export async function startFileHost(): Promise<FileHost> {
  const host: FileHost = { url: '', files: new Map(), requests: [] };
  const server = createServer(({ url = '', headers: { authorization } }, response) => {
    const path = url.split('?')[0]!;
    host.requests.push({ path, authorization });
    const file = host.files.get(path) ?? 404;
    if (typeof file === 'number') return void response.writeHead(file).end();
    if (file.startsWith('/')) return void response.writeHead(302, { location: file }).end();
    response.writeHead(200, { 'content-type': 'text/csv' }).end(file);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  host.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return host;
}
