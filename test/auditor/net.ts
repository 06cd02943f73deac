/** What free use, included minutes and discounts leave of list costs, from the words of docs/reference/costs.md. */
import { nanosOf } from './history.ts';
import type { PaidJob, Terms } from './ledger.ts';
import { isGitHub, isRentedBy, listPrice } from './prices.ts';

const standard = /^(linux_slim|linux_2_core(_arm)?|windows_2_core(_arm)?|macos_3_core)$/;
const plans: Record<string, { minutes: number; usd: number }> = {
  free: { minutes: 2_000, usd: 12 },
  pro: { minutes: 3_000, usd: 18 },
  team: { minutes: 3_000, usd: 18 },
  enterprise: { minutes: 50_000, usd: 300 },
};

export type Charge = 'free' | 'included' | 'charged' | 'own';

export type Charged = { key: string[]; day: string; cost: bigint; charge: Charge; draws: bigint };

export function chargeOf({ run, price, day }: PaidJob): Charge {
  const { kind, isOwnRate } = price;
  if (kind === null || isOwnRate || !isRentedBy(run.provider, kind)) return 'own';
  if (!isGitHub(run.provider) || !standard.test(kind)) return 'charged';
  const isReview = run.path?.endsWith('/copilot-pull-request-reviewer') && day <= '2026-05-31';
  const isFree = run.isPrivate === false || /^dynamic\/(dependabot|pages)\//.test(run.path ?? '') || isReview;
  return isFree ? 'free' : 'included';
}

/** Dollars at GitHub's own list of the day: a minute on Linux uses one included minute. */
export function drawsOf({ price: { kind, minutes }, day }: PaidJob): bigint {
  return BigInt(minutes) * ((kind !== null && listPrice('github_by_date', kind, day)) || 0n);
}

function allowanceOf(terms: Terms | undefined, day: string): { nanos: bigint; isInDollars: boolean } {
  const included = terms?.included_minutes;
  if (!included) return { nanos: 0n, isInDollars: false };
  const plan = included.github_plan === undefined ? null : plans[included.github_plan]!;
  const isInDollars = included.unit === 'usd' && !(plan && day < '2026-01-01');
  if (isInDollars && plan?.usd !== undefined) return { nanos: nanosOf(plan.usd), isInDollars };
  if (isInDollars && included.usd !== undefined) return { nanos: nanosOf(included.usd), isInDollars };
  const minutes = plan?.minutes ?? included.minutes ?? 0;
  return { nanos: BigInt(minutes) * listPrice('github_by_date', 'linux_2_core', day)!, isInDollars };
}

const inOrder = (a: string[], b: string[]): number => {
  const at = a.findIndex((each, index) => each !== b[index]);
  return at < 0 ? 0 : a[at]! < b[at]! ? -1 : 1;
};

/** The net cost of each job. Deductions of a day's first jobs, by workflow and then by time, are rounded down together. */
export function netsOf<Job extends Charged>(jobs: readonly Job[], terms: readonly Terms[]): Map<Job, bigint> {
  const nets = new Map<Job, bigint>();
  const used = new Map<string, bigint>();
  const days = [...Map.groupBy(jobs, (job) => job.day)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [day, ofDay] of days) {
    const month = day.slice(0, 7);
    const held = terms.findLast(({ effective_from: from = '' }) => from <= day);
    const allowance = allowanceOf(held, day);
    const before = used.get(month) ?? 0n;
    const left = allowance.nanos > before ? allowance.nanos - before : 0n;
    const covers = allowance.isInDollars ? ['included', 'charged'] : ['included'];
    const drawn = ofDay.reduce((sum, job) => (covers.includes(job.charge) ? sum + job.draws : sum), 0n);
    used.set(month, before + (drawn < left ? drawn : left));
    const [part, whole] = drawn <= left ? [1n, 1n] : [left, drawn];
    const hundredths = BigInt(Math.round((held?.discount_percent ?? 0) * 100));
    const eligible = { listed: 0n, covered: 0n };
    const charges = { listed: 0n, discounted: 0n };
    for (const job of ofDay.toSorted((a, b) => inOrder(a.key, b.key))) {
      if (job.charge === 'own' || job.charge === 'free') {
        nets.set(job, job.charge === 'own' ? job.cost : 0n);
        continue;
      }
      let rest = job.cost;
      if (covers.includes(job.charge)) {
        eligible.listed += job.cost;
        const covered = (eligible.listed * part!) / whole! - eligible.covered;
        eligible.covered += covered;
        rest -= covered;
      }
      charges.listed += rest;
      const discount = (charges.listed * hundredths) / 10_000n - charges.discounted;
      charges.discounted += discount;
      nets.set(job, rest - discount);
    }
  }
  return nets;
}
