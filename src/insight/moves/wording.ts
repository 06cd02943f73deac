import { dollars } from '../../platform/lib/amountTexts.ts';
import { longDay } from '../../platform/lib/days.ts';
import { sumOf } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { countOf } from '../../platform/lib/text.ts';
import { listSaving, type JobMove, type Move, type Staying } from './decide.ts';
import type { Runner } from './runners.ts';
import { minRuns, type Speed } from './speed.ts';

/** Of all jobs together, by their time. Null for a trial. */
export function speedOfAll(jobs: readonly JobMove[]): Speed | null {
  const known = jobs.flatMap(({ use, after }) =>
    after ? [{ speed: after.speed, weight: use.billed.reduce((sum, ms) => sum + ms, 0) }] : [],
  );
  if (known.length === 0) return null;
  const total = known.reduce((sum, { weight }) => sum + weight, 0);
  const mean = (name: 'factor' | 'low' | 'high') =>
    known.reduce((sum, { speed, weight }) => sum + speed[name] * weight, 0) / total;
  const count = (name: 'runsBefore' | 'runsAfter') => known.reduce((sum, { speed }) => sum + speed[name], 0);
  return {
    factor: mean('factor'),
    low: mean('low'),
    high: mean('high'),
    runsBefore: count('runsBefore'),
    runsAfter: count('runsAfter'),
  };
}

const times = (factor: number) => factor.toFixed(factor < 10 ? 2 : 1);

export function moveText(move: Move, pays: number | null): string {
  const { state, from, to, jobs, nowNanos, savingNanos } = move;
  const what = countOf(jobs.length, 'job');
  const cost = `${dollars(nowNanos)} a month`;
  if (state === 'trial') {
    const condition =
      pays === null
        ? 'It costs nothing there, however long it takes.'
        : `It pays if ${jobs.length === 1 ? 'it takes' : 'they take'} at most ${pays.toFixed(1)} times as long.`;
    return `Try ${to.title}: ${what} on ${from.title} cost${jobs.length === 1 ? 's' : ''} ${cost}. ${jobs.length === 1 ? 'Run it' : 'Start with the most expensive: run it'} there until it has passed ${minRuns} times. ${condition}${machineText(move)}${pricesText(move)}`;
  }
  const speed = speedOfAll(jobs)!;
  const measured = `${times(speed.factor)} times as long (${times(speed.low)} to ${times(speed.high)})`;
  const takes = `There ${jobs.length === 1 ? 'it takes' : 'they take'} ${measured}`;
  const saving = listSaving(move);
  const head = `${what} from ${from.title} to ${to.title}`;
  if (state === 'move')
    return `Move ${head}: saves ${dollars(savingNanos)} of ${cost}. ${takes}.${pricesText(move)}`;
  if (state === 'uncertain')
    return `Perhaps move ${head}: would save ${dollars(saving)} of ${cost}, but the range is too wide to be sure. ${takes}. More runs there narrow it.${pricesText(move)}`;
  if (state === 'covered')
    return `Do not move ${head}: included minutes or discounts already pay what it would save. ${takes}.${pricesText(move)}`;
  const result = saving >= 0n ? `would save only ${dollars(saving)}` : `would cost ${dollars(-saving)} more`;
  return `Keep ${what} on ${from.title}: ${to.title} ${result} of ${cost}. ${takes}.${pricesText(move)}`;
}

function machineText({ from, to }: Move): string {
  if (to.architecture === null || to.architecture === from.architecture) return '';
  return ` Its processor is ${to.architecture}, so what is built there is for ${to.architecture}.`;
}

function pricesText({ from, to }: Move): string {
  return [from, to].map(priceText).join('');
}

function priceText({ title, price }: Runner): string {
  const { source } = price ?? {};
  if (source?.type === 'shadow_rate') return ` The price of ${title} is your shadow rate.`;
  if (source?.type !== 'hint') return '';
  const { checkedOn, confidence } = source.hint;
  const doubt = confidence === 'hint' ? ' in a text that is not its price list' : '';
  return ` The price of ${title} is a hint, read on ${longDay(checkedOn)}${doubt}: ask for yours.`;
}

export function stayingText({ from, to, reason, jobs, nowNanos }: Staying): string {
  const what = `${countOf(jobs.length, 'job')} (${dollars(nowNanos)} a month) must stay on ${from.title}`;
  const limit = to?.price?.timeLimitMinutes;
  return {
    architecture: `${what}: the name asks for one processor architecture, and ${to?.title} has another.`,
    docker: `${what}: the name mentions containers, and jobs on ${to?.title} cannot use Docker.`,
    time_limit: `${what}: on fewer cores ${jobs.length === 1 ? 'it' : 'they'} could take longer than the ${limit} minutes that ${to?.title} allows.`,
    system: `${what}: the operating system must be the same, and no cheaper runner has at least half of the cores.`,
  }[reason];
}

export function thenOf(jobs: readonly JobMove[], name: 'nanos' | 'lowNanos' | 'highNanos'): Nanos | null {
  const known = jobs.flatMap(({ after }) => (after ? [after] : []));
  return known.length === 0 ? null : sumOf(known, name);
}
