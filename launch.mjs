// What run.mjs (of a clone) and bin.mjs (of the installed package) share: they start the program with a Node that can run it.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { constants } from 'node:os';

// npm 9 does not link .bin/node.
export const nodePackage = `node-${process.platform}-${process.arch}`.replace(
  /darwin-arm64$/,
  'bin-darwin-arm64',
);
export const thisNodeIsEnough = Number.parseInt(process.versions.node, 10) >= 24;

/** Whether the Node of the dependencies runs. Throws if this one would not do instead. */
export function tryOwnNode(ownNode) {
  const trial = spawnSync(ownNode, ['--version'], { encoding: 'utf8' });
  if (trial.status !== 0 && !thisNodeIsEnough) throw new Error(explainMissingNode(trial));
  return trial.status === 0;
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
  const isDebian = existsSync('/etc/debian_version');
  const remedy =
    debianPackage && isDebian
      ? `Install it: apt-get install -y ${debianPackage}`
      : `${library ? `Install the package that holds ${library}, or s` : 'S'}tart with Node 24 or newer.`;
  return `${reason} ${remedy}\nThis is Node ${process.versions.node}.`;
}

/** Returns the program's exit code, or 128 + the number of the signal that ended it. */
export function run(program, args, options) {
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
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

/** Runs the function with the arguments, and ends with the exit code that it returns. */
export async function runMain(main) {
  try {
    if (Number.parseInt(process.versions.node, 10) < 18) {
      throw new Error(`Runcost needs Node 18 or newer; this is Node ${process.versions.node}.`);
    }
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
