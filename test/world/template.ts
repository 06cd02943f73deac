import pg from 'pg';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { cliActor, scopes } from '../../src/platform/lib/actor.ts';
import { buildServer } from '../../src/server.ts';
import { createOrganization } from '../../src/tenancy/organizations/organizations.ts';
import { createToken } from '../../src/tenancy/tokens/tokens.ts';
import type { Step } from '../auditor/history.ts';
import { request } from '../harness/app.ts';
import { createStorage } from '../harness/storage.ts';
import { newJob, newRun } from '../harness/submission.ts';
import { watchLeases } from './leases.ts';
import type { Source } from './reports.ts';
import { makeTimeReal, seedIds } from './seams.ts';

/** The database that each world copies: an organization with a source, a webhook and budgets. */
export type Template = {
  settings: Record<string, string>;
  orgId: string;
  token: string;
  source: Source;
  alerts: string[];
  webhook: { id: string; url: string; secret: string };
  /** An organization that may be deleted. */
  other: { orgId: string; token: string };
  /** What of it the auditor has to know. */
  history: Step[];
  remove: () => Promise<void>;
};

/** Before the worlds: ids of one time are counted through. */
const start = new Date('2026-03-18T11:00:00Z');
/** A rate of the organization's own that changes while runs are reported. */
const shed = {
  match: 'label',
  pattern: 'shed',
  name: 'Shed',
  usd_per_minute: 0.0071,
  rounding: 'second',
  later_rates: [
    { effective_from: '2026-03-18', usd_per_minute: 0.0123 },
    { effective_from: '2026-03-19', usd_per_minute: 0.0046 },
  ],
};
const events = ['workflow.completed', 'alert.triggered', 'alert.resolved', 'cost.threshold'];

export async function createTemplate(): Promise<Template> {
  const { settings: stored, remove } = await createStorage();
  const mail = { SMTP_URL: 'smtp://127.0.0.1:1', EMAIL_FROM: 'ci@runcost.example' };
  const settings = { ...stored, ...mail, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') };
  seedIds(0);
  const config = readConfig({ RATE_LIMIT: '0', ...settings });
  const clock = { now: () => start };
  const app = await createApp(config, { mayCreate: true, clock, log: pino({ level: 'silent' }) });
  const server = await buildServer(app);
  // Again, because how many ids the start takes depends on whether the pages are built.
  seedIds(-1);
  const newOwner = async (name: string) => {
    const orgId = await createOrganization(app, { name, login: name.toLowerCase() });
    const ctx = { ...app, actor: cliActor(orgId) };
    const { text: token } = await createToken(ctx, { name: 'test', role: 'owner', scopes });
    const headers = { authorization: `Bearer ${token}` };
    const post = async (path: string, payload: object) => {
      const sent = { method: 'POST', url: `/api/v1/${path}`, headers, payload } as const;
      const { status, body, text } = await request(server, sent);
      if (status > 201) throw new Error(`${path}: ${text}`);
      return body;
    };
    return { orgId, token, post };
  };
  const { orgId, token, post } = await newOwner('Acme');
  const { data: source } = await post('sources', { kind: 'github', name: 'GitHub' });
  const { data: webhook } = await post('webhooks', { url: 'https://hooks.example.com/world', events });
  const rule = await post('pricing/rules', shed);
  const budget = { alert_type: 'budget', recipients: ['cto@acme.test'], check_frequency: 'daily' };
  const ofMonth = { ...budget, name: 'Month', threshold_amount: 8 };
  const path = `alerts?org_id=${orgId}`;
  const month = await post(path, ofMonth);
  const ofDay = { ...budget, name: 'Day', threshold_amount: 2, period: 'day' };
  const day = await post(path, ofDay);
  const history = [
    { at: start, path: '/api/v1/pricing/rules', body: shed, answer: { status: 201, body: rule } },
    { at: start, path: `/api/v1/${path}`, body: ofMonth, answer: { status: 201, body: month } },
    { at: start, path: `/api/v1/${path}`, body: ofDay, answer: { status: 201, body: day } },
  ];
  const digest = { frequency: 'weekly', is_personal: false, recipients: ['cto@acme.test', 'cfo@acme.test'] };
  await post('digests', digest);
  const other = await newOwner('Other');
  await other.post('sources', { kind: 'github', name: 'GitHub' });
  await other.post('runs', { runs: [newRun({ run_id: 'first', jobs: [newJob({ job_id: 'a' })] })] });
  await other.post(`alerts?org_id=${other.orgId}`, { ...ofMonth, threshold_amount: 0.01 });
  await server.close();
  await app.close();
  makeTimeReal();
  const db = new pg.Client({ connectionString: stored['DATABASE_URL'] });
  await db.connect();
  await watchLeases(db);
  await db.end();
  return { settings, orgId, token, source, alerts: [month.id, day.id], webhook, other, history, remove };
}
