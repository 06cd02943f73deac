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
  const orgId = await createOrganization(app, { name: 'Acme', login: 'acme' });
  const ctx = { ...app, actor: cliActor(orgId) };
  const { text: token } = await createToken(ctx, { name: 'test', role: 'owner', scopes });
  const post = async (path: string, payload: object) => {
    const headers = { authorization: `Bearer ${token}` };
    const { status, body, text } = await request(server, {
      method: 'POST',
      url: `/api/v1/${path}`,
      headers,
      payload,
    });
    if (status !== 201) throw new Error(`${path}: ${text}`);
    return body;
  };
  const { data: source } = await post('sources', { kind: 'github', name: 'GitHub' });
  await post('webhooks', { url: 'https://hooks.example.com/world', events });
  const rule = await post('pricing/rules', shed);
  const history = [
    { at: start, path: '/api/v1/pricing/rules', body: shed, answer: { status: 201, body: rule } },
  ];
  const budget = { alert_type: 'budget', recipients: ['cto@acme.test'], check_frequency: 'daily' };
  const { id: month } = await post(`alerts?org_id=${orgId}`, {
    ...budget,
    name: 'Month',
    threshold_amount: 8,
  });
  const ofDay = { ...budget, name: 'Day', threshold_amount: 2, period: 'day' };
  const { id: day } = await post(`alerts?org_id=${orgId}`, ofDay);
  await server.close();
  await app.close();
  makeTimeReal();
  const db = new pg.Client({ connectionString: stored['DATABASE_URL'] });
  await db.connect();
  await watchLeases(db);
  await db.end();
  return { settings, orgId, token, source, alerts: [month, day], history, remove };
}
