/** `npm run api-types`: writes the API types of the pages from the OpenAPI document. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { buildServer } from '../src/server.ts';

const root = join(import.meta.dirname, '..');
const target = join(root, 'web/src/api/schema.d.ts');
const folder = mkdtempSync(join(tmpdir(), 'runcost-types-'));

async function describe(): Promise<object> {
  const app = await createApp(readConfig({ DATA_DIR: join(folder, 'data') }), {
    command: 'api types',
    mayJoin: false,
    mayCreate: true,
    log: pino({ level: 'silent' }),
  });
  try {
    const server = await buildServer(app);
    await server.ready();
    return server.swagger();
  } finally {
    await app.close();
  }
}

try {
  const description = join(folder, 'openapi.json');
  writeFileSync(description, JSON.stringify(await describe()));
  const generator = join(root, 'web/node_modules/openapi-typescript/bin/cli.js');
  execFileSync(process.execPath, [generator, description, '-o', target], { stdio: 'pipe' });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
