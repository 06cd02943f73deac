// Starts one of this project's TypeScript files: node run.mjs [--dev] [--web] <file.ts> [arguments]
// Any Node from 18 on will do: this installs the dependencies, and with them the Node that runs the file. --web builds the
// pages first where they changed.
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
// Not .bin/node: npm 9 does not link it.
const nodePackage = `${process.platform}-${process.arch}`.replace(/^darwin-arm64$/, 'bin-darwin-arm64');
const ownNode = join(modules, `node-${nodePackage}`, 'bin', 'node');
const ownNodeFlags = [
  // Twenty times V8's own: optimizing the embedded database costs a command more than it gains, and a server seconds.
  '--wasm-tiering-budget=250000000',
  // npm installs no links, and to look for one in each module's path is an eighth of the time of a start.
  '--preserve-symlinks',
];
const thisNodeWillDo = Number.parseInt(process.versions.node, 10) >= 24;

async function main(given) {
  const start = given.findIndex((word) => !['--dev', '--web'].includes(word));
  const [file, ...args] = start === -1 ? [] : given.slice(start);
  const options = given.slice(0, start);
  const withDev = options.includes('--dev');
  if (!file) throw new Error('usage: node run.mjs [--dev] [--web] <file.ts> [arguments]');
  if (!isReady(withDev)) {
    const code = await holdingLock(() => (isReady(withDev) ? 0 : install(withDev)));
    if (code !== 0) return code;
  }
  const node = readStamp().ownNodeRuns ? ownNode : process.execPath;
  const flags = node === ownNode ? ownNodeFlags : [];
  // Node keeps what it has compiled, and types are stripped once: that is half of the time that a command takes.
  process.env.NODE_COMPILE_CACHE ??= join(modules, '.cache', 'compiled');
  if (options.includes('--web')) {
    const code = await run(node, [join(root, 'web', 'build.ts')], {
      stdio: ['ignore', process.stderr, process.stderr],
    });
    if (code !== 0) return code;
  }
  return run(node, [...flags, join(root, file), ...args], { stdio: 'inherit' });
}

/** The stamp says what the last install was for; it does not fit once anything it was made from has changed. */
function isReady(withDev) {
  const stamp = readStamp();
  return (
    stamp?.fingerprint === fingerprint() &&
    (stamp.withDev || !withDev) &&
    (stamp.ownNodeRuns ? fs.existsSync(ownNode) : thisNodeWillDo)
  );
}

function readStamp() {
  return fs.existsSync(stampFile) ? JSON.parse(fs.readFileSync(stampFile, 'utf8')) : undefined;
}

/** What is asked for, what npm says it put into node_modules, and for which kind of machine. */
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

/** Answers npm's exit code. Keeps development dependencies that are there: `npm start` must not take them away. */
async function install(wanted) {
  const withDev = wanted || readStamp()?.withDev === true;
  fs.rmSync(stampFile, { force: true });
  console.error(`Installing the ${withDev ? 'development ' : ''}dependencies (once, and after updates) …`);
  let code = await runNpm(process.execPath, withDev);
  if (code !== 0) return code;
  const trial = spawnSync(ownNode, ['--version'], { encoding: 'utf8' });
  const ownNodeRuns = trial.status === 0;
  if (!ownNodeRuns && !thisNodeWillDo) throw new Error(whyNoNode(trial));
  // npm leaves out what does not support the Node that npm runs on, so an old one gets only half of it.
  if (!thisNodeWillDo) code = await runNpm(ownNode, withDev);
  if (code !== 0) return code;
  const draft = `${stampFile}.${process.pid}`;
  fs.writeFileSync(draft, JSON.stringify({ fingerprint: fingerprint(), withDev, ownNodeRuns }));
  fs.renameSync(draft, stampFile); // whoever reads it meanwhile sees all of it or nothing
  return 0;
}

/** Installs with the npm that started this, else the one on the PATH, and that npm with this Node. */
async function runNpm(node, withDev) {
  const path = process.env.npm_execpath ?? '';
  const [npm, ...args] = /npm-cli\.c?js$/.test(path) ? [node, path] : ['npm'];
  // Not `npm ci`: it refuses a lock file without the binaries of platforms that a registry does not carry.
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
    stdio: ['ignore', process.stderr, process.stderr], // standard output belongs to the file that is started
    // Old versions of npm warn of what a newer Node deprecates.
    env: { ...process.env, NODE_NO_WARNINGS: '1', PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
  });
  if (code !== 0) {
    console.error('The dependencies are not installed: npm says why above. It needs to reach its registry.');
  }
  return code;
}

/** Debian's names of what Node's own binary needs. Elsewhere the name of the library has to do. */
const debianPackages = {
  'libatomic.so.1': 'libatomic1',
  'libgcc_s.so.1': 'libgcc-s1',
  'libstdc++.so.6': 'libstdc++6',
};

/** Says what to do where neither the Node of the dependencies nor the one that runs this will do. */
function whyNoNode({ error, stderr }) {
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

/** One process at a time installs. The holder touches the lock each second; one untouched for long is left over. */
async function holdingLock(action) {
  fs.mkdirSync(modules, { recursive: true });
  for (let touched, untouchedSeconds = 0; !makeLock(); untouchedSeconds++) {
    const at = fs.statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (touched === undefined)
      console.error('Waiting for another start, which is installing the dependencies …');
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

/** Runs a program to its end; answers its exit code, or 128 + the number of the signal that ended it. */
function run(program, args, options) {
  const child = spawn(program, args, options);
  const hasTerminal = openTerminal();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // A terminal sends its Ctrl-C and hang-up to the child as well: a second one would read as "stop at once".
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
