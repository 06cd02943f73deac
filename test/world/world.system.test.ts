import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const command = new URL('run.ts', import.meta.url).pathname;
const seeds = 30;
/** The same in each run, so that a run judges the change and not the draw. WORLD_SEED plays others. */
const firstSeed = Number(process.env.WORLD_SEED ?? 1);

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

test(`no answer of ${seeds} worlds contradicts what was acknowledged (WORLD_SEED=${firstSeed})`, () =>
  play('--seed', `${firstSeed}`, '--seeds', `${seeds}`));
