import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const command = new URL('run.ts', import.meta.url).pathname;
const seconds = 120;
/** Others each day (UTC), and the same all day, so that who changes something can play them first. */
const firstSeed = Number(process.env.WORLD_SEED ?? Math.floor(Date.now() / 86_400_000) * 1_000);

/** In a process of its own, because it replaces timers and random numbers, with a server whose processes it may stop. */
async function play(...args: string[]): Promise<void> {
  const { TEST_DATABASE_URL: _, TEST_DATABASE_TEMPLATE: __, ...env } = process.env;
  const child = spawn(process.execPath, [...process.execArgv, command, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  console.log(output);
  assert.equal(code, 0, output);
}

test('a seed gives the same order of statements and the same tables each time', () =>
  play('--kept', '--twice'));

test(`no answer of worlds contradicts what was acknowledged (WORLD_SEED=${firstSeed})`, () =>
  play('--seed', `${firstSeed}`, '--seconds', `${seconds}`));
