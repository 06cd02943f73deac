import type { ChangeFigures, CostChange, GroupStatus } from '../../ledger/costs/change.ts';
import { dollars } from '../../platform/lib/amountTexts.ts';
import { addDays, longDay, shortDay, type Day, type Window } from '../../platform/lib/days.ts';
import { compare, larger } from '../../platform/lib/lists.ts';
import { magnitude, type Nanos } from '../../platform/lib/money.ts';
import { capital, oneLine } from '../../platform/lib/text.ts';
import { changePercent } from './costsView.ts';
import type { DimensionName } from './readQuestion.ts';

export type Summary = Pick<CostChange, 'period' | 'previousPeriod' | 'total' | 'new' | 'vanished'> & {
  groupBy: readonly DimensionName[];
  isFiltered: boolean;
  /** Leaves out the causes, because an event says what happened. */
  isExplained?: boolean;
  /** Leaves out amounts and examples. */
  isShort?: boolean;
  /** The groups that changed most. A name is null if a group has no value. */
  leading: readonly (Pick<ChangeFigures, 'changeNanos' | PartName> & {
    names: readonly (string | null)[];
    status: GroupStatus;
  })[];
};

type PartName = (typeof partNames)[number];
const partNames = ['volumeNanos', 'durationNanos', 'priceNanos', 'mixNanos'] as const;
type Kind = PartName | 'new' | 'vanished';

/** A cause within one group, or across all groups if `place` is null. */
type Cause = { kind: Kind; amount: Nanos; place: Place | null; isShort: boolean };
type Place = { dimension: DimensionName; name: string | null }[];

export function changeSentence(summary: Summary): string {
  const { period, previousPeriod, total } = summary;
  const { costNanos, previousNanos, changeNanos } = total;
  if (total.jobs === 0n && total.previousJobs === 0n) return 'No jobs completed in either period.';
  const subject = summary.isFiltered ? 'the selected jobs' : 'CI';
  if (costNanos === 0n && previousNanos === 0n) return `${capital(subject)} cost nothing in either period.`;
  const { lead, previousText } = periodTexts(period, previousPeriod);
  const opening = `${lead}${subject} cost`;
  const isClear =
    summary.isExplained === true ||
    (summary.groupBy.length === 0 && (costNanos === 0n || previousNanos === 0n));
  const why = isClear ? '' : changeNanos === 0n ? balanceText(summary) : causeText(summary);
  const end = why === '' ? '.' : `: ${why}.`;
  if (changeNanos === 0n)
    return capital(`${opening} ${dollars(costNanos)}, the same as ${previousText}${end}`);
  if (previousNanos === 0n)
    return capital(`${opening} ${dollars(costNanos)}, and nothing ${previousText}${end}`);
  if (costNanos === 0n)
    return capital(`${opening} nothing, and ${dollars(previousNanos)} ${previousText}${end}`);
  const direction = changeNanos > 0n ? 'more' : 'less';
  const percent = percentText(costNanos, previousNanos);
  return capital(
    `${opening} ${dollars(magnitude(changeNanos))} ${direction} (${percent}) than ${previousText}${end}`,
  );
}

/** A name of a group has its dimension; the words between names have none. */
export type CausePart = { text: string; dimension: DimensionName | null };

/** Why the cost rose or fell, as the end of a sentence without amounts. Empty if nothing explains it. */
export function causeParts(summary: Summary): CausePart[] {
  if (summary.total.changeNanos === 0n) return [];
  const names: CausePart[] = [];
  // Marks stand for the names while the sentence is put together, because a name may contain any words.
  const markOf = (name: string | null, index: number) => {
    if (name === null) return null;
    const part = { text: oneLine(name), dimension: summary.groupBy[index]! };
    const known = names.findIndex(
      ({ text, dimension }) => text === part.text && dimension === part.dimension,
    );
    return `\uE000${known === -1 ? names.push(part) - 1 : known}\uE001`;
  };
  const leading = summary.leading.map((group) => ({ ...group, names: group.names.map(markOf) }));
  const why = causeText({ ...summary, leading, isShort: true });
  return why
    .replace(/^(mostly )?(?!spread |mostly |$)/, '$1from ')
    .split(/\uE000(\d+)\uE001/)
    .map((text, index) => (index % 2 === 1 ? names[Number(text)]! : { text, dimension: null }))
    .filter(({ text }) => text !== '');
}

/** Why the cost rose or fell, as a complete sentence. Empty if nothing explains it. */
export function changeCause(summary: Summary): string {
  const why = summary.total.changeNanos === 0n ? '' : causeText(summary);
  return why === '' ? '' : `${capital(why)}.`;
}

function percentText(value: Nanos, previous: Nanos): string {
  const percent = changePercent(value, previous)!;
  if (percent === 0) return 'less than 0.1%';
  // −100% would mean that nothing is left.
  const size = percent === -100 ? 99.9 : Math.abs(percent);
  const digits = size.toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  return `${percent > 0 ? '+' : '−'}${digits}%`;
}

/** Names both periods if the previous one is neither directly before nor a year before. */
function periodTexts(period: Window, previous: Window): { lead: string; previousText: string } {
  const isAsLong = period.days === previous.days;
  const isOneDay = period.days === 1;
  if (isAsLong && previous.end === addDays(period.start, -1)) {
    return { lead: '', previousText: isOneDay ? 'on the day before' : `in the ${period.days} days before` };
  }
  if (isAsLong && isYearBefore(previous.start, period.start) && isYearBefore(previous.end, period.end)) {
    const days = isOneDay ? 'on the same day' : `in the same ${period.days} days`;
    return { lead: '', previousText: `${days} a year before` };
  }
  const daysOf = ({ days }: Window) => (isAsLong ? '' : ` (${days} ${days === 1 ? 'day' : 'days'})`);
  return {
    lead: `${windowText(period)}${daysOf(period)}, `,
    previousText: `${windowText(previous)}${daysOf(previous)}`,
  };
}

function isYearBefore(earlier: Day, day: Day): boolean {
  return Number(earlier.slice(0, 4)) + 1 === Number(day.slice(0, 4)) && earlier.slice(4) === day.slice(4);
}

function windowText({ start, end }: Window): string {
  if (start === end) return `on ${longDay(start)}`;
  const isOneYear = start.slice(0, 4) === end.slice(0, 4);
  return `from ${isOneYear ? shortDay(start) : longDay(start)} to ${longDay(end)}`;
}

/** Names one or two causes if they make up half of the change, and the main one against it if it matters. */
function causeText(summary: Summary): string {
  const { changeNanos } = summary.total;
  const kinds = kindsOf(summary);
  const causes = summary.groupBy.length === 0 ? kinds : causesOf(summary);
  const pushing = inDirection(causes, changeNanos);
  const against = inDirection(causes, -changeNanos)[0];
  const whole = larger(magnitude(changeNanos), sizeOf(pushing));
  const isOffset = against !== undefined && sizeOf([against]) * 4n >= whole;
  const offset = isOffset ? `, partly offset by ${causeWords(against)}` : '';
  const [first, second] = pushing;
  const hasSecond = first && second && 10n * sizeOf([first]) < 9n * whole && 7n * sizeOf([second]) >= whole;
  const named = hasSecond ? [first, second] : pushing.slice(0, 1);
  const covered = sizeOf(named);
  if (2n * covered >= whole) {
    const contrary = isOffset && areInOnePlace([...named, against]) ? contraryText(named, against) : offset;
    return `${mostly(named, whole)}${together(named)}${contrary}`;
  }
  const [kind] = inDirection(kinds, changeNanos);
  const exampleText = (example: Cause | undefined) =>
    example && !summary.isShort ? `, the largest of them ${causeWords(example)}` : '';
  if (kind && 2n * sizeOf([kind]) >= whole) {
    const example = pushing.find((cause) => cause.kind === kind.kind);
    return `${mostly([kind], whole)}${causeWords(kind, summary)}${exampleText(example)}${offset}`;
  }
  return `spread over many causes${exampleText(first)}${offset}`;
}

/** Causes in the same place name it only once. */
function together(causes: readonly Cause[]): string {
  if (causes.length < 2 || !areInOnePlace(causes))
    return causes.map((cause) => causeWords(cause)).join(' and ');
  const words = causes.map((cause) => causeWords({ ...cause, place: null }));
  return `${words.join(' and ')} ${placeWords(causes[0]!.place!)}`;
}

function areInOnePlace(causes: readonly Cause[]): boolean {
  const places = causes.map(({ kind, place }) =>
    place === null || kind === 'new' || kind === 'vanished' ? null : placeWords(place),
  );
  return places.every((place) => place !== null && place === places[0]);
}

/** `more jobs …, though shorter ones`: in the same place, a second `jobs in …` would seem to contradict the first. */
function contraryText(named: readonly Cause[], against: Cause): string {
  const { kind, amount } = against;
  const isOfJobs = named.every((cause) => cause.kind === 'volumeNanos' || cause.kind === 'durationNanos');
  const [up, down] =
    isOfJobs && (kind === 'volumeNanos' || kind === 'durationNanos')
      ? ofSameJobs[kind]
      : contrary[kind as PartName];
  return `, though ${amount > 0n ? up : down}${sumText(against)}`;
}

function mostly(causes: readonly Cause[], whole: Nanos): string {
  return 10n * sizeOf(causes) < 9n * whole ? 'mostly ' : '';
}

/** Two causes that cancel each other out. Empty if nothing changed. */
function balanceText(summary: Summary): string {
  const causes = summary.groupBy.length === 0 ? kindsOf(summary) : causesOf(summary);
  const [up] = inDirection(causes, 1n);
  const [down] = inDirection(causes, -1n);
  return up && down ? `${causeWords(up)} and ${causeWords(down)} cancel each other out` : '';
}

/** Largest first. */
function inDirection(causes: readonly Cause[], direction: bigint): Cause[] {
  return causes
    .filter(({ amount }) => (direction > 0n ? amount > 0n : amount < 0n))
    .toSorted((a, b) => compare(magnitude(b.amount), magnitude(a.amount)));
}

function sizeOf(causes: readonly Cause[]): Nanos {
  return causes.reduce((sum, { amount }) => sum + magnitude(amount), 0n);
}

function kindsOf({ total, new: added, vanished, isShort = false }: Summary): Cause[] {
  const volume = total.volumeNanos - added.changeNanos - vanished.changeNanos;
  return [
    { kind: 'new', amount: added.changeNanos, place: null, isShort },
    { kind: 'vanished', amount: vanished.changeNanos, place: null, isShort },
    ...partNames.map((kind) => ({
      kind,
      amount: kind === 'volumeNanos' ? volume : total[kind],
      place: null,
      isShort,
    })),
  ];
}

function causesOf({ groupBy, leading, isShort = false }: Summary): Cause[] {
  return leading.flatMap(({ names, status, ...figures }): Cause[] => {
    const place = groupBy.map((dimension, index) => ({ dimension, name: names[index] ?? null }));
    if (status === 'new' || status === 'vanished')
      return [{ kind: status, amount: figures.changeNanos, place, isShort }];
    return partNames.map((kind) => ({ kind, amount: figures[kind], place, isShort }));
  });
}

const words: Record<PartName, [up: string, down: string]> = {
  volumeNanos: ['more jobs', 'fewer jobs'],
  durationNanos: ['longer jobs', 'shorter jobs'],
  priceNanos: ['higher prices', 'lower prices'],
  mixNanos: ['more expensive runners', 'cheaper runners'],
};

const ofSameJobs = {
  volumeNanos: ['more of them', 'fewer of them'],
  durationNanos: ['longer ones', 'shorter ones'],
} as const;

const contrary: Record<PartName, readonly [up: string, down: string]> = {
  ...words,
  priceNanos: ['at higher prices', 'at lower prices'],
  mixNanos: ['on more expensive runners', 'on cheaper runners'],
};

function sumText({ amount, isShort }: Cause): string {
  return isShort ? '' : ` (${amount > 0n ? '+' : '−'}${dollars(magnitude(amount))})`;
}

function causeWords(cause: Cause, summary?: Summary): string {
  const { kind, amount, place } = cause;
  const sum = sumText(cause);
  const where = place ? ` ${placeWords(place)}` : '';
  if (kind === 'new') {
    const [only, ...others] = place ?? [];
    if (only && others.length === 0 && only.name !== null)
      return `the new ${nounOf(only.dimension)} ${oneLine(only.name)}${sum}`;
    return place ? `new jobs${where}${sum}` : `${countWords(summary!, summary!.new.groups, 'new ')}${sum}`;
  }
  if (kind === 'vanished') {
    if (place) return `no more jobs${where}${sum}`;
    return `${countWords(summary!, summary!.vanished.groups, '')} without jobs now${sum}`;
  }
  return `${words[kind][amount > 0n ? 0 : 1]}${where}${sum}`;
}

function countWords({ groupBy }: Summary, count: number, adjective: string): string {
  const noun = groupBy.length === 1 ? nounOf(groupBy[0]!) : 'group';
  const plural = noun
    .concat('s')
    .replace(/ys$/, (end, at: number) => (/[aeiou]/.test(noun[at - 1]!) ? end : 'ies'))
    .replace(/hs$/, 'hes');
  return `${count.toLocaleString('en-US')} ${adjective}${count === 1 ? noun : plural}`;
}

function nounOf(dimension: DimensionName): string {
  return dimension === 'started_by' ? 'starter' : dimension.replace('_', ' ');
}

/** How to attach a value to `jobs`. Other dimensions use `in` and their name. */
const joints: { [Name in DimensionName]?: string } = {
  repository: 'in',
  workflow: 'in',
  job: 'in job',
  runner: 'on',
  label: 'with label',
  provider: 'on',
  branch: 'on branch',
  event: 'for',
  actor: 'by',
  started_by: 'started by',
  conclusion: 'in runs with conclusion',
  weekday: 'on',
  hour: 'in hour',
};

function placeWords(place: Place): string {
  return place
    .map(({ dimension, name }) => {
      if (name === null) return dimension === 'runner' ? 'without a price' : `without ${nounOf(dimension)}`;
      return `${joints[dimension] ?? `in ${nounOf(dimension)}`} ${oneLine(name)}`;
    })
    .join(' ');
}
