/**
 * `npm run api-types`: writes the types of the API, for the pages and for `runcost/client`, from the OpenAPI document, and what
 * the command line and the client know of the verbs, and the reference of its commands.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { clientVerbsText } from './clientVerbs.ts';
import { actionsText, movedText, operationsText } from './operations.ts';
import { runTool } from './tools.ts';

type Operation = { responses: Record<string, unknown> };

const root = join(import.meta.dirname, '..');
const targets = ['src/clientTypes.d.ts', 'web/src/api/schema.d.ts'].map((file) => join(root, file));
const folder = mkdtempSync(join(tmpdir(), 'runcost-types-'));

// The program reads these two when it is loaded, so it is loaded after they are written.
writeFileSync(join(root, 'src/operations.json'), operationsText());
writeFileSync(join(root, 'src/clientVerbs.ts'), clientVerbsText());
const { createApp } = await import('../src/app.ts');
const { readConfig } = await import('../src/config.ts');
const { buildServer } = await import('../src/server.ts');
const { commandReference, referencePage } = await import('./commandReference.ts');

async function describe(): Promise<object> {
  const app = await createApp(readConfig({ DATA_DIR: join(folder, 'data') }), {
    mayCreate: true,
    log: pino({ level: 'silent' }),
  });
  try {
    const server = await buildServer(app);
    await server.ready();
    return withoutProblems(server.swagger());
  } finally {
    await app.close();
  }
}

/** Leaves out error responses: both clients throw errors, and the types would be three times as long. */
function withoutProblems(document: object): object {
  const { paths } = document as { paths: Record<string, Record<string, Operation>> };
  for (const { responses } of Object.values(paths).flatMap((methods) => Object.values(methods)))
    for (const status of Object.keys(responses)) if (/^[45]/.test(status)) delete responses[status];
  return document;
}

const reference = join(root, referencePage);
writeFileSync(reference, await commandReference(readFileSync(reference, 'utf8')));
const actions = 'web/src/api/actions.ts';
writeFileSync(join(root, actions), actionsText());
writeFileSync(join(root, 'web/src/api/movedPages.ts'), movedText());
await runTool('oxfmt', referencePage, actions);
try {
  const description = join(folder, 'openapi.json');
  writeFileSync(description, JSON.stringify(await describe()));
  const generator = join(root, 'web/node_modules/openapi-typescript/bin/cli.js');
  const written = join(folder, 'types.d.ts');
  execFileSync(process.execPath, [generator, description, '-o', written], { stdio: 'pipe' });
  for (const target of targets) copyFileSync(written, target);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
