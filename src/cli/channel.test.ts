import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf } from '../../test/harness/commands.ts';
import { newStorage, runCommand, serveHere } from '../../test/harness/program.ts';
import { parts } from '../operator/parts.ts';
import { examplesIn } from './examples.ts';
import { buildWholeCli } from './program.ts';

const settings = await newStorage();
const { address } = await serveHere(settings);
const { printed, json } = commandsOf('channel', settings);

const program = await buildWholeCli(parts);
const channel = program.commands.find((command) => command.name() === 'channel')!;

/** The words of the printed example, of which the last is JSON in quotes. */
function exampleOf(name: string): string[] {
  const [line] = examplesIn(channel.commands.find((command) => command.name() === name)!);
  const [, words, value] = /^runcost (.*) '(.*)'$/.exec(line!)!;
  return [...words!.split(' '), value!];
}

test('the examples create a channel and test it, which exits with 1 if nothing arrives', async () => {
  const made = await runCommand(exampleOf('create'), settings);
  assert.equal(made.code, 0, made.stderr);
  const [created] = await json('channel', 'list');
  assert.deepEqual([created.name, created.settings], ['platform', { url: 'chat.acme.example/…' }]);
  const { code, stdout, stderr } = await runCommand(exampleOf('test'), settings);
  assert.equal(code, 1, stderr);
  assert.match(stdout, /^delivered +no\n/);
});

test('channels can be listed in the browser', async () => {
  const [, note] = await printed('list', '--web');
  assert.equal(note, `${address}/settings/notifications\n`);
});
