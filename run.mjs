// Runs one of this project's TypeScript files: node run.mjs [--dev] [--web] <file.ts> [arguments]
// Node 18 or newer is enough: this installs the dependencies, which include the Node that runs the file. --web first builds
// the pages if they changed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.runcost-stamp.json');
const lock = join(modules, '.runcost-lock');
// npm 9 does not link .bin/node.
const nodePackage = `${process.platform}-${process.arch}`.replace(/^darwin-arm64$/, 'bin-darwin-arm64');
const ownNode = join(modules, `node-${nodePackage}`, 'bin', 'node');
const ownNodeFlags = [
  // Twenty times V8's default: a command loses more time than it gains if V8 optimizes the embedded database.
  '--wasm-tiering-budget=250000000',
  // npm installs no links. To look for links in each module's path takes an eighth of a start's time.
  '--preserve-symlinks',
];
const thisNodeIsEnough = Number.parseInt(process.versions.node, 10) >= 24;

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
  const flags = node === ownNode ? ownNodeFlags : [];
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
  const trial = spawnSync(ownNode, ['--version'], { encoding: 'utf8' });
  const ownNodeRuns = trial.status === 0;
  if (!ownNodeRuns && !thisNodeIsEnough) throw new Error(explainMissingNode(trial));
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

/** Debian's packages of the libraries that Node needs. */
const debianPackages = {
  'libatomic.so.1': 'libatomic1',
  'libgcc_s.so.1': 'libgcc-s1',
  'libstdc++.so.6': 'libstdc++6',
};

/** For a machine that can run neither the Node of the dependencies nor the file with this one. */
function explainMissingNode({ error, stderr }) {
  const library = /error while loading shared libraries: ([^:\s]+)/.exec(stderr ?? '')?.[1];
  const debianPackage = debianPackages[library];
  const reason = library
    ? `The Node that Runcost brings needs ${library}, which this machine lacks.`
    : `The Node that Runcost brings does not run on this ${process.platform} ${process.arch} machine` +
      ` (${stderr?.trim().split('\n')[0] || error?.message || 'no reason given'}).`;
  const isDebian = fs.existsSync('/etc/debian_version');
  const remedy =
    debianPackage && isDebian
      ? `Install it: apt-get install -y ${debianPackage}`
      : `${library ? `Install the package that holds ${library}, or s` : 'S'}tart with Node 24 or newer.`;
  return `${reason} ${remedy}\nThis is Node ${process.versions.node}.`;
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

/** Returns the program's exit code, or 128 + the number of the signal that ended it. */
function run(program, args, options) {
  const child = spawn(program, args, options);
  const hasTerminal = openTerminal();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // A terminal also sends Ctrl-C and hang-up to the child. A second signal would mean "stop at once".
    const childHasIt = hasTerminal && signal !== 'SIGTERM';
    process.on(signal, () => childHasIt || child.kill(signal));
  }
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`${program} does not run: ${error.message}`)));
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

function openTerminal() {
  try {
    fs.closeSync(fs.openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

try {
  if (Number.parseInt(process.versions.node, 10) < 18) {
    throw new Error(`Runcost needs Node 18 or newer; this is Node ${process.versions.node}.`);
  }
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
