// node killAndStart.mjs: starts Runcost in this folder, kills it, and starts it again. Everything must still be there, and
// nothing may be left running. Runs with any Node from 18 on, on a machine without ps.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

async function start() {
  const startedAt = performance.now();
  const child = spawn('npm', ['start'], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    printed += chunk;
    if (/^Organization +\S+/m.test(printed)) break;
  }
  const [, address] = /Runcost is at (http\S+)/.exec(printed) ?? [];
  const [, organization] = /^Organization +(\S+)/m.exec(printed) ?? [];
  if (!organization) throw new Error(`it did not start: ${printed}`);
  const { status } = await fetch(`${address}/readyz`);
  if (status !== 200) throw new Error(`/readyz answered ${status}`);
  console.log(`started in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return { child, organization };
}

/** The processes whose command contains the text. */
function find(text) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
      } catch {
        return false; // it has just ended
      }
    })
    .map(Number);
}

async function untilGone(text) {
  for (let tries = 0; find(text).length > 0; tries++) {
    if (tries === 100) throw new Error(`${text} still runs 10 s later`);
    await sleep(100);
  }
}

const first = await start();
for (const pid of find('src/main.ts')) process.kill(pid, 'SIGKILL');
await untilGone('postgres');
const second = await start();
if (second.organization !== first.organization) throw new Error('the organization is gone');
const ended = once(second.child, 'exit');
for (const pid of find('src/main.ts')) process.kill(pid, 'SIGTERM');
await ended;
await untilGone('postgres');
process.exit();
