/**
 * `npm run world -- [--seed N] [--seeds N | --seconds N] [--steps M | --only 3,7]`: plays the worlds of these seeds. Each is
 * repeatable: a seed decides what senders, workers, operators and receivers do, whose statement is next, and what fails.
 * Exits with 1 if one has a problem, whose steps it prints. Over a thousand seeds, also if something never happened.
 */
// oxlint-disable-next-line import/no-unassigned-import -- before the program, whose modules keep what it replaces
import './seams.ts';
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { closeShared } from '../harness/shared.ts';
import { play, shrink, type Played } from './play.ts';
import { expected } from './sometimes.ts';
import { createTemplate, type Template } from './template.ts';

const maxShrinkSeconds = 20;
const enoughSeeds = 1_000;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '1' },
      seconds: { type: 'string' },
      steps: { type: 'string', default: '60' },
      only: { type: 'string' },
      trace: { type: 'boolean', default: false },
    },
  });
  const steps = values.only?.split(',').map(Number) ?? [...Array(Number(values.steps)).keys()];
  const [first, seeds, began] = [Number(values.seed), Number(values.seeds), performance.now()];
  const isOver = (played: number) =>
    values.seconds === undefined
      ? played === seeds
      : performance.now() - began > Number(values.seconds) * 1_000;
  const template = await createTemplate();
  const happened = new Map<string, number>();
  const failed: number[] = [];
  let played = 0;
  for (; !isOver(played); played++) {
    const outcome = await play(template, first + played, steps);
    for (const [what, count] of outcome.happened) happened.set(what, (happened.get(what) ?? 0) + count);
    console.log(lineOf(outcome));
    if (values.trace) console.log([...outcome.lines, ...outcome.tables].join('\n'));
    if (outcome.problems.length === 0) continue;
    failed.push(outcome.seed);
    await explain(template, outcome);
  }
  const never = expected.filter((what) => !happened.has(what));
  for (const what of expected) console.log(`${String(happened.get(what) ?? 0).padStart(8)} times ${what}`);
  const seconds = (performance.now() - began) / 1_000;
  console.log(`${played} seeds in ${Math.round(seconds)} s, of which failed: ${failed.join(' ') || 'none'}`);
  if (played >= enoughSeeds && never.length > 0) console.log(`Never happened: ${never.join(', ')}`);
  return failed.length > 0 || (played >= enoughSeeds && never.length > 0) ? 1 : 0;
}

const hashOf = (lines: readonly string[]) =>
  createHash('sha256').update(lines.join()).digest('hex').slice(0, 16);

function lineOf({ seed, statements, trace, tables, problems }: Played): string {
  const line = `seed ${seed}: ${statements} statements in the order ${trace}, tables ${hashOf(tables)}`;
  return problems.length === 0 ? line : `${line}\n  ${problems.join('\n  ')}`;
}

async function explain(template: Template, failed: Played): Promise<void> {
  const { seed, steps, words, problems } = await shrink(template, failed, maxShrinkSeconds);
  console.log(`Fails with these steps:\n  ${words.join('\n  ')}\n  ${problems.join('\n  ')}`);
  console.log(`npm run world -- --seed ${seed} --only ${steps.join(',')} --trace\n`);
}

const code = await main();
await closeShared();
process.exit(code);
