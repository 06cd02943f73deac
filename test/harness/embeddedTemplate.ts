import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '../../src/db/embedded.ts';

const manifest = new URL('../../node_modules/@electric-sql/pglite/package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
const template = join(tmpdir(), `runcost-test-template-${version}`);

/**
 * A closed data folder with an empty database, to be copied: making one takes seconds, a copy does not. Made once per
 * machine; of several processes that make it at the same moment, the first one's is kept.
 */
export async function embeddedTemplate(): Promise<string> {
  if (existsSync(template)) return template;
  const own = mkdtempSync(`${template}-`);
  const database = await openEmbedded(own, 'test');
  await database.close();
  try {
    renameSync(own, template);
  } catch (error) {
    rmSync(own, { recursive: true });
    if (!existsSync(template)) throw error;
  }
  return template;
}
