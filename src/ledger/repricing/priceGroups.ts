import type { Day } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { priceRunner } from '../pricing/cost.ts';
import type { PriceList } from '../pricing/priceList.ts';
import type { Providers } from '../pricing/provider.ts';

/** Jobs of one day that a price list prices alike, added up. */
export type JobGroup = {
  day: Day;
  workflowId: string;
  provider: string;
  isPrivate: boolean | null;
  labels: string[];
  runnerGroup: string | null;
  runnerName: string | null;
  /** Seconds of each job beyond its whole minutes; null where only minutes can count. */
  secondsBeyond: number | null;
  /** The whole minutes of all of them. */
  wholeMinutes: bigint;
  jobs: bigint;
  billedMinutes: bigint;
  /** What they have cost. */
  costNanos: bigint;
  unpricedMinutes: bigint;
};

/** Something that may come about besides prices. */
export type Scenario = 'self_hosted_fee';

/** Which jobs any of some price lists may bill by the second: these must be grouped by their seconds. */
export type SecondsCount = {
  /** A rule may bill any job by the second. */
  always: boolean;
  /** Providers that bill by the second, and the kinds of their runners. */
  providers: readonly string[];
  kinds: readonly string[];
};

export function secondsCount(rules: PriceList['rules'], providers: Providers): SecondsCount {
  const bySecond = providers.list.filter(({ rounding }) => rounding === 'second');
  const kinds = bySecond.flatMap((provider) => provider.kinds.map(({ id }) => id));
  return {
    always: rules.some(
      ({ rounding, runnerKind }) =>
        rounding === 'second' || (runnerKind !== null && kinds.includes(runnerKind)),
    ),
    providers: bySecond.map(({ id }) => id),
    kinds,
  };
}

/** What a group of jobs would cost with a list, to the nano what its jobs would cost one by one. */
export function priceGroup(group: JobGroup, list: PriceList): { costNanos: Nanos; unpricedMinutes: bigint } {
  const { nanosPerMinute, rounding, hasPrice } = priceRunner(group, list, group.day);
  if (!hasPrice) return { costNanos: 0n, unpricedMinutes: group.billedMinutes };
  if (rounding === 'minute') return { costNanos: group.billedMinutes * nanosPerMinute, unpricedMinutes: 0n };
  if (group.secondsBeyond === null)
    throw new Error('jobs that are billed by the second were grouped by minutes');
  // Each job is rounded on its own, but only what lies beyond its whole minutes can need it.
  const beyond = (BigInt(group.secondsBeyond) * nanosPerMinute + 30n) / 60n;
  return { costNanos: group.wholeMinutes * nanosPerMinute + group.jobs * beyond, unpricedMinutes: 0n };
}

/** What a scenario adds to the cost of a group. */
export function scenarioCost(group: JobGroup, list: PriceList, scenario: Scenario | null): Nanos {
  if (scenario !== 'self_hosted_fee' || group.isPrivate !== true) return 0n;
  const provider = list.providers.of(group.provider);
  // Servers of one's own pay no such fee.
  if (!provider?.announcedSelfHostedFee || provider.id !== group.provider) return 0n;
  // Rules give runners other prices, but do not make them the provider's.
  const { kind } = priceRunner(group, { ...list, rules: [] }, group.day);
  return kind === 'self_hosted' || kind === 'third_party'
    ? group.billedMinutes * provider.announcedSelfHostedFee
    : 0n;
}
