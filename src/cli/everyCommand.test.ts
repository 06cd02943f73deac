/** What holds for the command of each verb, against a server that makes its answers up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from 'commander';
import { serveMadeUpAnswers } from '../../test/harness/madeUpServer.ts';
import { runCommand } from '../../test/harness/program.ts';
import { operations } from '../operations.ts';
import { parts } from '../operator/parts.ts';
import { buildWholeCli } from './program.ts';
import { operationIn } from './verbCommand.ts';

const settings = { RUNCOST_URL: await serveMadeUpAnswers(), RUNCOST_TOKEN: 'made-up' };

const leavesOf = ({ commands }: Command): Command[] =>
  commands.flatMap((each) => [...(operationIn(each) ? [each] : []), ...leavesOf(each)]);
const wordsOf = (command: Command): string[] =>
  command.parent ? [...wordsOf(command.parent), command.name()] : [];
const commands = leavesOf(await buildWholeCli(parts)).map((command) => ({
  operation: operationIn(command)!,
  name: wordsOf(command).join(' '),
  words: [
    ...wordsOf(command),
    ...command.registeredArguments.flatMap(({ required }) => (required ? ['some_id'] : [])),
    ...command.options.flatMap(({ mandatory, long, argChoices }) =>
      mandatory ? [long!, argChoices?.[0] ?? '1'] : [],
    ),
  ],
}));

/** A report is more than its rows: it has totals. */
const reports = ['bill reconcile', 'costs', 'durations', 'price show', 'waste'];

test('with --json, a list prints all rows of its pages as an array', async () => {
  const lists = commands.filter(({ operation: { list, method } }) => list && method === 'GET');
  assert.ok(lists.length > operations.filter(({ list }) => list).length - 5);
  for (const { name, words, operation } of lists) {
    const { code, stdout, stderr } = await runCommand([...words, '--json'], settings);
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
  for (const { words } of paged) {
    assert.equal((await runCommand([...words, '--csv'], settings)).stdout, 'a,b\r\n1,2\r\n');
    const { code, stderr } = await runCommand([...words, '--csv', '--limit', '5'], settings);
    assert.equal(code, 2);
    assert.match(stderr, /'--csv' cannot be used with option '--limit <count>'/);
  }
});

test('no person reads JSON', async () => {
  const wrong: string[] = [];
  for (const { name, words } of commands) {
    const { stdout } = await runCommand(words, settings);
    if (/[{[]["{[]|\[object|\{\}|\[\]/.test(stdout)) wrong.push(name);
  }
  assert.deepEqual(wrong, []);
});
