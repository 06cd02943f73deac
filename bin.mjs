#!/usr/bin/env node
// The command `runcost` of the installed package: node bin.mjs [arguments]
// Node 24 or newer runs the program in this process. An older one starts the Node that npm installed with the package.
import module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodePackage, run, runMain, thisNodeIsEnough, tryOwnNode } from './launch.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const program = join(root, 'dist', 'main.js');
// Only its owner can write there, so nobody else decides what this runs.
const cache = join(root, '.cache', 'compiled');

async function main(argv) {
  if (thisNodeIsEnough) {
    module.enableCompileCache(cache);
    await import('./dist/main.js');
    return process.exitCode;
  }
  const ownNode = findOwnNode();
  tryOwnNode(ownNode);
  process.env.NODE_COMPILE_CACHE ??= cache;
  // The channel closes when this process ends in any way, and then main.js ends too.
  return run(ownNode, [program, ...argv], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
}

/** npm installs it beside this package or in a folder above. */
function findOwnNode() {
  try {
    return join(
      dirname(createRequire(import.meta.url).resolve(`${nodePackage}/package.json`)),
      'bin',
      'node',
    );
  } catch {
    return join(root, 'node_modules', nodePackage, 'bin', 'node');
  }
}

await runMain(main);
