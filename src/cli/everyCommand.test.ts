/** What holds for the command of each verb, against a server that makes its answers up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from 'commander';
import { serveMadeUpAnswers } from '../../test/harness/madeUpServer.ts';
import { runCommand } from '../../test/harness/program.ts';
import { operations } from '../operations.ts';
import { parts } from '../operator/parts.ts';
import { examplesIn } from './examples.ts';
import { buildWholeCli, runnableBelow } from './program.ts';
import { operationIn } from './verbCommand.ts';

const secrets = { RUNCOST_TOKEN: 'made-up', GITLAB_TOKEN: 'made-up', STORAGE_SECRET_KEY: 'made-up' };
const settings = { RUNCOST_URL: await serveMadeUpAnswers(), ...secrets };

const program = await buildWholeCli(parts);
const nameOf = (command: Command): string =>
  command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

/** What a shell makes of an example, without what it sets before and pipes after. */
function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) => word);
  const end = words.findIndex((word) => word === '|' || word === '>');
  return words
    .slice(words.indexOf('runcost') + 1, end === -1 ? undefined : end)
    .map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

const examples = runnableBelow(program).map((command) => ({
  name: nameOf(command),
  operation: operationIn(command),
  examples: examplesIn(command).map(wordsOf),
}));
const commands = examples.flatMap(({ name, operation, examples: own }) =>
  operation ? [{ name, operation, words: own[0]! }] : [],
);

/** Without those that listen, or read a file of the example's name. */
const answering = commands.filter(({ name }) => !['webhook listen', 'runner-pool import'].includes(name));

test('every command has examples, and the program takes each as it is', async () => {
  assert.deepEqual(
    examples.filter(({ examples: own }) => own.length === 0).map(({ name }) => name),
    [],
  );
  const wrong: string[] = [];
  for (const command of runnableBelow(program)) command.action(() => {});
  program.configureOutput({ writeErr: () => {} });
  for (const words of examples.flatMap(({ examples: own }) => own)) {
    await program
      .parseAsync(words, { from: 'user' })
      .catch((error: Error) => wrong.push(`${words.join(' ')}: ${error.message}`));
  }
  assert.deepEqual(wrong, []);
});

test('the examples of verbs make requests that the server takes', async () => {
  const wrong: string[] = [];
  for (const { name, words } of answering) {
    const { code, stderr } = await runCommand(words, settings);
    if (code === 2) wrong.push(`${name}: ${stderr}`);
  }
  assert.deepEqual(wrong, []);
});

/** A report is more than its rows: it has totals. */
const reports = ['bill reconcile', 'costs', 'durations', 'price show', 'waste'];

test('with --json, a list prints all rows of its pages as an array', async () => {
  const lists = commands.filter(({ operation: { list, method } }) => list && method === 'GET');
  assert.ok(lists.length > operations.filter(({ list }) => list).length - 5);
  for (const { name, words, operation } of lists) {
    const { code, stdout, stderr } = await runCommand(
      [...words.filter((word) => word !== '--json'), '--json'],
      settings,
    );
    assert.equal(code, 0, `${name}: ${stderr}`);
    const printed = JSON.parse(stdout);
    assert.equal(Array.isArray(printed), !reports.includes(name), name);
    const isPaged = operation.list!.paging === 'page' && Array.isArray(printed);
    if (isPaged) assert.equal(printed.length, 2, name);
  }
});

test('a CSV file of the server has all rows, so it takes no --limit', async () => {
  const paged = commands.filter(({ operation: { hasCsv, list } }) => hasCsv && list?.paging === 'page');
  assert.deepEqual(
    paged.map(({ name }) => name),
    ['workflows', 'waste fixes', 'audit-log list'],
  );
  for (const { name } of paged) {
    const words = name.split(' ');
    assert.equal((await runCommand([...words, '--csv'], settings)).stdout, 'a,b\r\n1,2\r\n');
    const { code, stderr } = await runCommand([...words, '--csv', '--limit', '5'], settings);
    assert.equal(code, 2);
    assert.match(stderr, /'--csv' cannot be used with option '--limit <count>'/);
  }
});

test('no person reads JSON', async () => {
  const wrong: string[] = [];
  for (const { name, words } of answering) {
    const { stdout } = await runCommand(words, settings);
    if (/[{[]["{[]|\[object|\{\}|\[\]/.test(stdout)) wrong.push(name);
  }
  assert.deepEqual(wrong, []);
});
