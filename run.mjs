// Runs one of this project's TypeScript files: node run.mjs [--dev] [--web] <file.ts> [arguments]
// Node 18 or newer is enough: this installs the dependencies, which include the Node that runs the file. --web first builds
// the pages if they changed.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { nodePackage, run, runMain, thisNodeIsEnough, tryOwnNode } from './launch.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.runcost-stamp.json');
const lock = join(modules, '.runcost-lock');
const ownNode = join(modules, nodePackage, 'bin', 'node');

async function main(argv) {
  const start = argv.findIndex((word) => !['--dev', '--web'].includes(word));
  const [file, ...args] = start === -1 ? [] : argv.slice(start);
  const options = argv.slice(0, start);
  const withDev = options.includes('--dev');
  if (!file) throw new Error('usage: node run.mjs [--dev] [--web] <file.ts> [arguments]');
  if (!isInstalled(withDev)) {
    const code = await withLock(() => (isInstalled(withDev) ? 0 : install(withDev)));
    if (code !== 0) return code;
  }
  const node = readStamp().ownNodeRuns ? ownNode : process.execPath;
  // npm installs no links here. To look for links in each module's path takes an eighth of a start's time.
  const flags = node === ownNode ? ['--preserve-symlinks'] : [];
  // Without this cache of compiled files, a command takes twice as long.
  process.env.NODE_COMPILE_CACHE ??= join(modules, '.cache', 'compiled');
  if (options.includes('--web')) {
    const code = await run(node, [join(root, 'web', 'build.ts')], {
      stdio: ['ignore', process.stderr, process.stderr],
    });
    if (code !== 0) return code;
  }
  // The channel closes when this process ends in any way, and then main.ts ends too.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  return run(node, [...flags, join(root, file), ...args], { stdio });
}

/** Whether the last install was for the current package files and machine. */
function isInstalled(withDev) {
  const stamp = readStamp();
  return (
    stamp?.fingerprint === fingerprint() &&
    (stamp.withDev || !withDev) &&
    (stamp.ownNodeRuns ? fs.existsSync(ownNode) : thisNodeIsEnough)
  );
}

function readStamp() {
  return fs.existsSync(stampFile) ? JSON.parse(fs.readFileSync(stampFile, 'utf8')) : undefined;
}

/** Of the requested packages, the packages that npm installed, and the kind of machine. */
function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  const files = [
    join(root, 'package.json'),
    join(root, 'package-lock.json'),
    join(modules, '.package-lock.json'),
  ];
  for (const file of files) hash.update(fs.existsSync(file) ? fs.readFileSync(file) : 'none');
  return hash.digest('hex');
}

/** Returns npm's exit code. Keeps installed development dependencies, which `npm start` must not remove. */
async function install(needsDev) {
  const withDev = needsDev || readStamp()?.withDev === true;
  fs.rmSync(stampFile, { force: true });
  console.error(`Installing the ${withDev ? 'development ' : ''}dependencies (once, and after updates) …`);
  let code = await runNpm(process.execPath, withDev);
  if (code !== 0) return code;
  const ownNodeRuns = tryOwnNode(ownNode);
  // npm skips packages that do not support its own Node, so an old Node installs only some of them.
  if (!thisNodeIsEnough) code = await runNpm(ownNode, withDev);
  if (code !== 0) return code;
  const draft = `${stampFile}.${process.pid}`;
  fs.writeFileSync(draft, JSON.stringify({ fingerprint: fingerprint(), withDev, ownNodeRuns }));
  fs.renameSync(draft, stampFile); // nobody reads half a file
  return 0;
}

/** Installs with the npm that started this, else with the one on the PATH. `node` runs that npm. */
async function runNpm(node, withDev) {
  const path = process.env.npm_execpath ?? '';
  const [npm, ...args] = /npm-cli\.c?js$/.test(path) ? [node, path] : ['npm'];
  // `npm ci` refuses a lock file that lacks binaries of other platforms, which some registries do not have.
  const options = [
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-save',
    '--no-update-notifier',
    '--loglevel=error',
  ];
  const code = await run(npm, [...args, 'install', ...options, withDev ? '--include=dev' : '--omit=dev'], {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr], // standard output is for the started file
    // Old versions of npm cause deprecation warnings in a newer Node.
    env: { ...process.env, NODE_NO_WARNINGS: '1', PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
  });
  if (code !== 0) {
    console.error(
      'The dependencies could not be installed: npm shows why above. It needs access to its registry.',
    );
  }
  return code;
}

/** One process at a time installs. It touches the lock each second, so an untouched lock belongs to a dead process. */
async function withLock(action) {
  fs.mkdirSync(modules, { recursive: true });
  for (let touched, untouchedSeconds = 0; !makeLock(); untouchedSeconds++) {
    const at = fs.statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (touched === undefined) console.error('Another process is installing the dependencies. Waiting …');
    if (at !== touched) [touched, untouchedSeconds] = [at, 0];
    if (untouchedSeconds >= 10) fs.rmSync(lock, { recursive: true, force: true });
    else await sleep(1000);
  }
  const touching = setInterval(() => fs.utimes(lock, new Date(), new Date(), () => {}), 1000);
  try {
    return await action();
  } finally {
    clearInterval(touching);
    fs.rmSync(lock, { recursive: true, force: true });
  }
}

function makeLock() {
  try {
    fs.mkdirSync(lock);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

await runMain(main);
