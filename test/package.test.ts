import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { signedHeaders } from '../src/outreach/webhooks/signing.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'runcost-package-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const inProject = { cwd: root, encoding: 'utf8', stdio: 'pipe' } as const;
const inFolder = { ...inProject, cwd: folder } as const;

/** Installs the tarball that would be published, and returns the names of its files. */
function installPackage(): string[] {
  const options = ['--json', '--offline', '--no-update-notifier', '--pack-destination', folder];
  const [tarball] = JSON.parse(execFileSync('npm', ['pack', ...options], inProject));
  execFileSync('tar', ['-xzf', tarball.filename], inFolder);
  mkdirSync(join(folder, 'node_modules'));
  renameSync(join(folder, 'package'), join(folder, 'node_modules/runcost'));
  symlinkSync(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  return tarball.files.map(({ path }: { path: string }) => path);
}
const packed = installPackage();

test('the package has the files of the program and of receivers, and no tests', () => {
  const needed = ['LICENSE', 'README.md', 'run.mjs', 'src/main.ts', 'migrations/0001_foundation.sql'];
  for (const file of [...needed, 'dist/verifyWebhook.js', 'dist/verifyWebhook.d.ts']) {
    assert.ok(packed.includes(file), file);
  }
  const foreign = packed.filter((file) =>
    /\.test\.ts$|^(test|bench|scripts|node_modules|data|\.)/.test(file),
  );
  assert.deepEqual(foreign, []);
});

test('a receiver imports verifyWebhook from the package, and it verifies what we sign', () => {
  const script = `
    import { verifyWebhook } from 'runcost/verify-webhook';
    const { headers, body } = JSON.parse(process.argv[1]);
    const check = (secret) => {
      try {
        return verifyWebhook({ headers, body, secret }).id;
      } catch (error) {
        return error.message;
      }
    };
    console.log(JSON.stringify([check('our secret'), check('another')]));
  `;
  const body = '{"id":"evt_1","event":"webhook.ping","timestamp":"2026-03-18T12:00:00.000Z","data":{}}';
  const headers = signedHeaders({
    deliveryId: 'del_1',
    eventId: 'evt_1',
    event: 'webhook.ping',
    attempt: 1,
    body: Buffer.from(body),
    secrets: { current: 'our secret', next: null },
    now: new Date(),
  });
  const args = ['--input-type=module', '--eval', script, JSON.stringify({ headers, body })];
  const [accepted, refused] = JSON.parse(execFileSync(process.execPath, args, inFolder));
  assert.equal(accepted, 'evt_1');
  assert.match(refused, /no signature matches/);
});

test('the code in docs/how-to/receive-webhooks.md has no type errors', () => {
  const page = readFileSync(join(root, 'docs/how-to/receive-webhooks.md'), 'utf8');
  const code = /^### With this package\n+```ts\n(.*?)^```$/ms.exec(page)?.[1];
  assert.ok(code);
  writeFileSync(join(folder, 'receive.ts'), code);
  writeFileSync(
    join(folder, 'nodeHeaders.ts'),
    `import type { IncomingMessage } from 'node:http';
    import { verifyWebhook } from 'runcost/verify-webhook';
    export const eventOf = ({ headers }: IncomingMessage, body: Buffer): string =>
      verifyWebhook({ headers, body, secret: '', toleranceSeconds: 60, now: new Date() }).event;`,
  );
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
  const tsc = join(root, 'node_modules/typescript/lib/tsc.js');
  const args = [tsc, ...options, '--types', 'node', 'receive.ts', 'nodeHeaders.ts'];
  assert.equal(execFileSync(process.execPath, args, inFolder), '');
});
