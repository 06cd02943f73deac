import assert from 'node:assert/strict';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { loadDemo } from '../../src/demo/load.ts';
import { cliActor } from '../../src/platform/lib/actor.ts';
import { listOrganizations } from '../../src/tenancy/organizations/organizations.ts';
import type { Settings } from './storage.ts';

/** Records the history of `runcost demo` for the only organization of a database. Returns the number of its jobs. */
export async function fillOnlyOrganization(
  settings: Settings,
  size: { days: number; runs: number },
): Promise<number> {
  const options = { mayCreate: false, log: pino({ level: 'silent' }) };
  const app = await createApp(readConfig({ DATABASE_URL: '', ...settings }), options);
  try {
    const [only, ...others] = await listOrganizations(app);
    assert.ok(only && others.length === 0);
    return (await loadDemo(app, { ...app, actor: cliActor(only.orgId) }, { ...size, seed: 1 })).jobs;
  } finally {
    await app.close();
  }
}
