/**
 * `npm run world -- [--seed N] [--seeds N | --seconds N] [--steps M | --only 3,7]`, or `-- --kept`: plays these worlds. Each is
 * repeatable: a seed decides what senders, workers, operators and receivers do, whose statement is next, and what fails.
 * Exits with 1 if one has a problem, whose steps it prints. Over a thousand seeds, also if something never happened. A hundred or
 * more write their section of docs/reliability.md.
 */
// oxlint-disable-next-line import/no-unassigned-import -- before the program, whose modules keep what it replaces
import './seams.ts';
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { closeShared } from '../harness/shared.ts';
import { play, shrink, type Played } from './play.ts';
import { writeWorlds } from './section.ts';
import { keptSeeds } from './seeds.ts';
import { expected } from './sometimes.ts';
import { createTemplate, type Template } from './template.ts';

const maxShrinkSeconds = 60;
const enoughSeeds = 1_000;
const worthASection = 100;

const options = {
  seed: { type: 'string', default: '1' },
  seeds: { type: 'string', default: '1' },
  seconds: { type: 'string' },
  steps: { type: 'string', default: '60' },
  /** Takes only these steps of the seed. */
  only: { type: 'string' },
  /** The seeds of seeds.ts. */
  kept: { type: 'boolean', default: false },
  /** Plays each seed twice, and compares. */
  twice: { type: 'boolean', default: false },
  trace: { type: 'boolean', default: false },
} as const;

type World = { seed: number; steps: readonly number[] };

/** Without an end if only the seconds end it. */
function* worldsOf(values: ReturnType<typeof read>): Generator<World> {
  const all = [...Array(Number(values.steps)).keys()];
  const steps = values.only?.split(',').map(Number) ?? all;
  if (values.kept) for (const kept of keptSeeds) yield { steps, ...kept };
  const [first, seeds] = [
    Number(values.seed),
    values.seconds === undefined ? Number(values.seeds) : Infinity,
  ];
  if (!values.kept) for (let seed = first; seed < first + seeds; seed++) yield { seed, steps };
}

const read = () => parseArgs({ options }).values;

async function main(): Promise<number> {
  const values = read();
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1_000;
  const template = await createTemplate();
  const happened = new Map<string, number>();
  const failed: number[] = [];
  let [played, statements] = [0, 0];
  for (const { seed, steps } of worldsOf(values)) {
    if (seconds() > Number(values.seconds ?? Infinity)) break;
    const outcome = await play(template, seed, steps);
    for (const [what, times] of outcome.happened) happened.set(what, (happened.get(what) ?? 0) + times);
    console.log(lineOf(outcome));
    if (values.trace) console.log([...outcome.lines, ...outcome.tables].join('\n'));
    const second = values.twice ? await play(template, seed, steps) : outcome;
    const again = lineOf(second);
    if (again !== lineOf(outcome))
      console.log(`Differs the second time: ${firstDifference(outcome, second)}`);
    if (outcome.problems.length > 0) await explain(template, outcome);
    if (outcome.problems.length > 0 || again !== lineOf(outcome)) failed.push(seed);
    played++;
    statements += outcome.statements;
  }
  await template.remove();
  for (const what of expected) console.log(`${String(happened.get(what) ?? 0).padStart(8)} times ${what}`);
  console.log(
    `${played} seeds in ${Math.round(seconds())} s, of which failed: ${failed.join(' ') || 'none'}`,
  );
  const never = played < enoughSeeds ? [] : expected.filter((what) => !happened.has(what));
  if (never.length > 0) console.log(`Never happened: ${never.join(', ')}`);
  const seed = Number(values.seed);
  if (values.seconds === undefined && played >= worthASection)
    writeWorlds({ seed, seeds: played, statements, failed, happened });
  return failed.length + never.length > 0 ? 1 : 0;
}

const hashOf = (lines: readonly string[]) =>
  createHash('sha256').update(lines.join()).digest('hex').slice(0, 16);

function firstDifference(one: Played, other: Played): string {
  const [lines, others] = [one, other].map((each) => [...each.lines, ...each.tables]) as [string[], string[]];
  const at = lines.findIndex((line, place) => line !== others[place]);
  return `${lines.slice(Math.max(0, at - 3), at + 1).join('\n')}\n${others[at]}`;
}

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
