/**
 * `npm run dev`: the server, which starts again when a file of src changes, and Vite, which updates the pages in the browser,
 * with the demo in ./data-dev. Prints one line with the address and a sign-in. Ctrl-C ends both.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createServer } from 'vite';

const root = join(import.meta.dirname, '..');
const main = join(root, 'src/main.ts');
const apiPort = '8080';

const vite = await createServer({ root: import.meta.dirname, logLevel: 'warn' });
await vite.listen();
const [address] = vite.resolvedUrls!.local.map((url) => url.replace(/\/$/, ''));
const env = {
  DATA_DIR: join(root, 'data-dev'),
  LOG_LEVEL: 'warn',
  ...process.env,
  PORT: apiPort,
  // Vite passes requests on, so browsers name its address as their origin.
  PUBLIC_URL: address!,
};

const demo = [main, 'demo', '--runs', '2000'];
const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, ...demo], { env });
const [link] = /http\S+\/sign-in#code=\S+/.exec(stdout)!;

// With `--inspect`, the server waits for no debugger, and chrome://inspect finds it.
const flags = [
  ...process.execArgv,
  '--inspect=0',
  '--watch-path',
  join(root, 'src'),
  '--watch-preserve-output',
];
const server = spawn(process.execPath, [...flags, main, 'serve'], {
  env,
  stdio: ['ignore', 'ignore', 'inherit'],
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.kill('SIGTERM'));
const ended = once(server, 'exit');
const isReady = () =>
  fetch(`http://127.0.0.1:${apiPort}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
while (!(await isReady())) await sleep(100);
console.log(`Runcost for development: ${link}`);
await ended;
await vite.close();
process.exit();
