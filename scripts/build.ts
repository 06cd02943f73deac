/** Compiles the program into `dist/`, for the npm package and the image: Node runs no TypeScript below `node_modules`. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { billOfMaterials } from './packages.ts';
import { runTool } from './tools.ts';

const target = join(import.meta.dirname, '../dist');
rmSync(target, { recursive: true, force: true });
mkdirSync(target);
writeFileSync(join(target, 'sbom.cdx.json'), JSON.stringify(billOfMaterials(), null, 2));
// Receivers of webhooks import this file, with its types.
const receivers =
  'src/verifyWebhook.ts --ignoreConfig --outDir dist --declaration --emitDeclarationOnly --strict';
const results = await Promise.all([
  runTool('tsc', '-p', 'tsconfig.dist.json'),
  runTool('tsc', ...receivers.split(' '), '--target', 'es2022', '--module', 'nodenext', '--types', 'node'),
]);
process.exitCode = results.every(Boolean) ? 0 : 1;
