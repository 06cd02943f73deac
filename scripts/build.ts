/** Compiles the program into `dist/`, for the npm package and the image: Node runs no TypeScript below `node_modules`. */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { billOfMaterials } from './packages.ts';
import { runScript, runTool } from './tools.ts';

const target = join(import.meta.dirname, '../dist');
rmSync(target, { recursive: true, force: true });
mkdirSync(target);
writeFileSync(join(target, 'sbom.cdx.json'), JSON.stringify(billOfMaterials(), null, 2));
// Receivers of webhooks and callers of the API import these files, with their types.
const imported =
  'src/verifyWebhook.ts src/client.ts --ignoreConfig --outDir dist --declaration --emitDeclarationOnly --strict';
const options = '--target es2022 --module nodenext --types node --skipLibCheck --allowImportingTsExtensions';

async function describeImported(): Promise<boolean> {
  if (!(await runScript('apiTypes.ts'))) return false;
  copyFileSync(join(import.meta.dirname, '../src/clientTypes.d.ts'), join(target, 'clientTypes.d.ts'));
  return runTool('tsc', ...imported.split(' '), ...options.split(' '));
}

const results = await Promise.all([runTool('tsc', '-p', 'tsconfig.dist.json'), describeImported()]);
process.exitCode = results.every(Boolean) ? 0 : 1;
