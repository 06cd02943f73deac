import { randomOf } from '../../src/platform/lib/random.ts';
import { judge, rest } from './checks.ts';
import { takeStep } from './steps.ts';
import type { Template } from './template.ts';
import { inWorld, type Outcome } from './world.ts';

export type Played = Outcome & { seed: number; steps: readonly number[]; words: string[] };

/** Choices of a step follow from the seed and its number alone, so that others can be left out. */
function randomOfStep(seed: number, step: number) {
  return randomOf(Math.imul(seed, 0x9e3779b1) ^ Math.imul(step + 1, 0x85ebca6b));
}

/** Takes these steps of a seed's world, and then lets it rest. Ends at the first problem. */
export async function play(template: Template, seed: number, steps: readonly number[]): Promise<Played> {
  const words: string[] = [];
  const outcome = await inWorld(template, seed, async (world) => {
    world.isCalm = false;
    for (const step of steps) {
      world.random = randomOfStep(seed, step);
      words.push(`${step}: ${await takeStep(world, world.random)}`);
      if (world.problems.length > 0) return;
    }
    await rest(world);
    world.isCalm = true;
    await judge(world);
  });
  return { ...outcome, seed, steps, words };
}

/** The kind of a problem, without the ids and numbers that differ with each step left out. */
const kindOf = ({ problems: [first = ''] }: Pick<Outcome, 'problems'>) =>
  first
    .split('\n')[0]!
    .replaceAll(/[\d_]+|[0-9a-f-]{12,}/g, '')
    .slice(0, 60);

/** Leaves out steps, half of them at first, as long as the same problem remains. */
export async function shrink(template: Template, failed: Played, maxSeconds: number): Promise<Played> {
  // The steps after the problem were not taken.
  let best: Played = { ...failed, steps: failed.steps.slice(0, Math.max(1, failed.words.length)) };
  const until = performance.now() + maxSeconds * 1_000;
  for (let size = Math.ceil(best.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = best.steps.length - size; from > -size && performance.now() < until; from -= size) {
      const steps = best.steps.filter((_, at) => at < from || at >= from + size);
      const next = await play(template, best.seed, steps);
      if (kindOf(next) === kindOf(best) && next.problems.length > 0) best = next;
    }
  }
  return best;
}
