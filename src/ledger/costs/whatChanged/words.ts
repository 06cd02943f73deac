import { dollars, exactDollars } from '../../../platform/lib/amountTexts.ts';
import { shortDay, windowBetween, type Day } from '../../../platform/lib/days.ts';
import { magnitude } from '../../../platform/lib/money.ts';
import { countOf, oneLine } from '../../../platform/lib/text.ts';
import { runnerTitle } from '../../pricing/runnerWords.ts';
import type { CostChange } from '../change.ts';
import { datesOf } from './events.ts';
import type { NamedEvent } from './firstJobs.ts';

/** `of` says what a name is of; the words between names have none. */
export type EventPart = { text: string; of: NameOf | null };
export const namesInEvents = [
  'workflow',
  'repository',
  'job',
  'runner',
  'pull_request',
  'commit',
  'branch',
  'actor',
] as const;
type NameOf = (typeof namesInEvents)[number];

type Names = Pick<CostChange, 'workflows' | 'providers' | 'period'>;
type OfJobs = Extract<NamedEvent, { type: 'jobs' }>;
type OfPrice = Extract<NamedEvent, { type: 'price' }>;
type Words = (string | EventPart)[];

/** `Nov 10–12 cost $1,190.00 more: 9 new macOS 3-core jobs of CI in acme/mobile, from pull request 482.` */
export function eventParts(event: NamedEvent, names: Names): EventPart[] {
  const words =
    event.type === 'jobs'
      ? [...leadOf(event, names), ...jobsWords(event, names), ...originWords(event), '.', endOf(event, names)]
      : [...leadOf(event, names), ...priceWords(event, names), '.'];
  return joined(words);
}

export function eventSentence(event: NamedEvent, names: Names): string {
  return eventParts(event, names)
    .map(({ text }) => text)
    .join('');
}

function joined(words: Words): EventPart[] {
  const parts: EventPart[] = [];
  for (const word of words) {
    const part = typeof word === 'string' ? { text: word, of: null } : word;
    const last = parts.at(-1);
    if (last && last.of === null && part.of === null) last.text += part.text;
    else if (part.text !== '') parts.push({ ...part });
  }
  return parts;
}

function named(of: NameOf, text: string): EventPart {
  return { text: oneLine(text), of };
}

function leadOf(event: NamedEvent, names: Names): Words {
  const change = event.costNanos - event.usualNanos;
  const more = change > 0n ? 'more' : 'less';
  const { from, to } = datesOf(event);
  if (event.type === 'jobs' && event.span.isDrift) {
    const daily = magnitude(change) / BigInt(windowBetween(from, to).days);
    const sums = `about ${dollars(daily)} ${more}, ${dollars(magnitude(change))} in all`;
    return [`Since ${dayText(from, names)}, each day costs ${sums}: `];
  }
  return [`${datesText(from, to, names)} cost ${dollars(magnitude(change))} ${more}: `];
}

function jobsWords(event: OfJobs, { workflows, providers }: Names): Words {
  const { kind, isWhole, jobs, figures, runner, previousRunner, centiminutes } = event;
  const isUp = figures.costNanos > figures.usualNanos;
  const count = jobs.length;
  const workflow = workflows.get(event.workflowId);
  const title = (of: string | null) =>
    of === null ? 'runners without a price' : named('runner', runnerTitle(of, providers));
  const place: Words = [
    named('workflow', workflow?.name ?? event.workflowId),
    ...(workflow ? [' in ', named('repository', workflow.repository)] : []),
  ];
  const [only] = jobs;
  const one: Words = count === 1 && only!.name !== null ? ['job ', named('job', only!.name), ' of '] : [];
  const many = count === 1 ? 'jobs of ' : `${countOf(count, 'job')} of `;
  const subject: Words = isWhole ? place : [...(one.length > 0 ? one : [many]), ...place];
  if (kind === 'new' && isWhole) return ['the new workflow ', ...place];
  if (kind === 'new' && one.length > 0)
    return ['the new ', ...one, ...place, ...(runner ? [' on ', title(runner)] : [])];
  if (kind === 'new')
    return [
      `${count === 1 ? '' : `${count} `}new `,
      ...(runner ? [title(runner), ' '] : []),
      'jobs of ',
      ...place,
    ];
  if (kind === 'returned') return [...subject, returnedText(event)];
  if (kind === 'removed')
    return [...subject, isWhole || one.length > 0 ? ' no longer runs' : ' no longer run'];
  if (kind === 'volume') {
    const [now, usual] = [
      countOf(Number(figures.jobs), 'job'),
      Number(figures.usualJobs).toLocaleString('en-US'),
    ];
    return [
      ...subject,
      isWhole ? ` ran ${now}` : ` ran ${countOf(Number(figures.jobs), 'time')}`,
      ` instead of about ${usual}`,
    ];
  }
  if (kind === 'duration')
    return [...(isWhole ? ['jobs of ', ...place] : subject), timesText(centiminutes, isUp)];
  const ran: Words = isWhole ? ['jobs of ', ...place, ' ran on '] : [...subject, ' ran on '];
  if (runner === undefined) return [...ran, isUp ? 'more expensive runners' : 'cheaper runners'];
  const instead: Words = previousRunner === undefined ? [] : [' instead of ', title(previousRunner)];
  return [...ran, title(runner), ...instead];
}

function returnedText({ isWhole, jobs, span, origin, absence }: OfJobs): string {
  const [added, others] = [true, false].map(
    (is) => jobs.filter(({ kind }) => (kind === 'new') === is).length,
  );
  const { since, isKnown } = absence!;
  const days = countOf(windowBetween(since, origin?.day ?? span.from).days - 1, 'day');
  const when = isKnown ? `again after ${days}` : `for the first time in at least ${days}`;
  return isWhole || added === 0 ? ` ran ${when}` : ` ran, ${added} of them new and ${others} ${when}`;
}

function timesText(times: OfJobs['centiminutes'], isUp: boolean): string {
  const [now, before] = [times?.now ?? 0n, times?.before ?? 0n].map(minutesText);
  if (now === before) return isUp ? ' took longer' : ' took less time';
  return ` took ${now} ${now === '1' ? 'minute' : 'minutes'} instead of ${before}`;
}

function minutesText(centiminutes: bigint): string {
  const minutes = Number(centiminutes) / 100;
  return minutes.toLocaleString('en-US', { maximumFractionDigits: minutes < 10 ? 1 : 0 });
}

const shortCommit = 7;

function originWords({ kind, origin, firstJob }: OfJobs): Words {
  if (!origin) return [];
  const { pullRequest, branch, actor } = origin;
  const lead = origin.by === 'most' ? ', most of it ' : ', ';
  // What ran again did not begin with this commit, branch or person.
  const first = origin.by === 'most' || kind === 'returned' ? '' : 'first ';
  if (pullRequest !== null) return [`${lead}from pull request `, named('pull_request', String(pullRequest))];
  if (first !== '' && firstJob?.commit) {
    const on: Words = branch === null ? [] : [' on ', named('branch', branch)];
    return [', since commit ', named('commit', firstJob.commit.slice(0, shortCommit)), ...on];
  }
  if (branch !== null) return [`${lead}${first}on branch `, named('branch', branch)];
  return actor === null ? [] : [`${lead}${first}by `, named('actor', actor)];
}

function endOf({ span }: OfJobs, names: Names): string {
  if (span.overSince !== null) return ` Back to normal since ${dayText(span.overSince, names)}.`;
  return span.isLasting && !span.isDrift ? ` Still so on ${dayText(span.to, names)}.` : '';
}

function priceWords({ runners }: OfPrice, { providers }: Names): Words {
  const [first] = runners;
  const title = named('runner', runnerTitle(first!.runner, providers));
  const price = `${exactDollars(first!.nanosPerMinute)} a minute instead of ${exactDollars(first!.previousNanosPerMinute)}`;
  if (runners.length === 1) return [title, ` costs ${price}`];
  return [`${countOf(runners.length, 'runner kind')} have other prices, such as `, title, ` (${price})`];
}

/** With a year only if the period ends in another. */
function dayText(day: Day, { period }: Names): string {
  const text = shortDay(day);
  return day.slice(0, 4) === period.end.slice(0, 4) ? text : `${text}, ${day.slice(0, 4)}`;
}

function datesText(from: Day, to: Day, names: Names): string {
  if (from === to) return dayText(from, names);
  const [first, last] = [dayText(from, names), dayText(to, names)];
  if (from.slice(0, 7) !== to.slice(0, 7)) return `${first} – ${last}`;
  return last.replace(/\d+/, `${Number(from.slice(8))}–$&`);
}
