/**
 * What budgets on list costs of the organization must have announced, from the words of docs/reference/alerts.md. When the
 * worker looks is not known, so what it must have seen is what held when it had nothing left to do.
 */
import { dayOf, type Ask, type Step } from './history.ts';
import type { Ledger } from './ledger.ts';

type Fields = {
  alert_type?: string;
  threshold_amount?: number;
  check_frequency?: keyof typeof starts;
  period?: keyof typeof starts;
  enabled?: boolean;
  scope?: { type: string };
  measure?: string;
};
type Sample = { at: number; spent: bigint };
type Period = {
  must: Set<number>;
  may: Set<number>;
  hasChanged: boolean;
  mustTrigger: boolean;
  mayTrigger: boolean;
  samples: Sample[];
};
type Budget = {
  fields: Fields;
  since: number;
  raises: number;
  isDeleted: boolean;
  periods: Map<string, Period>;
};

const dayMs = 86_400_000;
/** Scheduled checks are spread over some minutes. */
const spreadMs = 3_600_000;
const shares = [50, 75, 90, 100];

const starts = {
  daily: (day: string) => day,
  weekly: (day: string) => dayOf(Date.parse(day) - ((new Date(day).getUTCDay() + 6) % 7) * dayMs),
  monthly: (day: string) => `${day.slice(0, 7)}-01`,
  day: (day: string) => starts.daily(day),
  week: (day: string) => starts.weekly(day),
  month: (day: string) => starts.monthly(day),
};

const isJudged = ({ alert_type, scope, measure, enabled }: Fields): boolean =>
  alert_type === 'budget' &&
  (scope?.type ?? 'organization') === 'organization' &&
  (measure ?? 'list_cost') === 'list_cost' &&
  enabled !== false;

export function openBudgets() {
  const budgets = new Map<string, Budget>();

  function change({ at, method = 'POST', path, body, answer }: Step): void {
    const id = path.split('/')[4]?.replace(/\?.*/, '') ?? (answer?.body as { id?: string } | undefined)?.id;
    const before = id === undefined ? undefined : budgets.get(id);
    if (id === undefined || (answer && answer.status >= 400)) return;
    if (method === 'DELETE' && before) before.isDeleted = true;
    else if (method === 'PUT' && before) {
      const fields = { ...before.fields, ...(body as Fields) };
      const isRaised = fields.threshold_amount! > before.fields.threshold_amount!;
      const raises = before.raises + (isRaised ? 1 : 0);
      budgets.set(id, { ...before, fields, since: at.getTime(), raises });
    } else if (method === 'POST' && /^\/api\/v1\/alerts(\?|$)/.test(path))
      budgets.set(id, {
        fields: body as Fields,
        since: at.getTime(),
        raises: 0,
        isDeleted: false,
        periods: new Map(),
      });
  }

  let known = 0n;

  function look({ at, path }: Step, { jobs }: Ledger): void {
    const now = at.getTime();
    const total = jobs.reduce((sum, { price }) => sum + price.nanos, 0n);
    const hasChanged = total !== known;
    known = total;
    for (const { fields, since, isDeleted, periods } of budgets.values()) {
      if (isDeleted || !isJudged(fields)) continue;
      const startOf = starts[fields.period ?? 'month'];
      const current = startOf(dayOf(now));
      const before = startOf(dayOf(Date.parse(current) - 1));
      const threshold = BigInt(Math.round(fields.threshold_amount! * 1e9));
      for (const start of dayOf(since) < current ? [before, current] : [current]) {
        const spent = jobs.reduce(
          (sum, job) => (startOf(job.day) === start ? sum + job.price.nanos : sum),
          0n,
        );
        const period = periods.get(start) ?? newPeriod();
        periods.set(start, period);
        period.samples.push({ at: now, spent });
        // A budget is looked at when costs change: one that a job of tomorrow reaches is not at midnight.
        period.hasChanged ||= hasChanged;
        for (const share of shares) {
          if (spent * 100n < threshold * BigInt(share)) continue;
          period.may.add(share);
          if (path === 'settled' && period.hasChanged) period.must.add(share);
        }
        if (spent <= threshold) continue;
        period.mayTrigger = true;
        const tick = Date.parse(starts[fields.check_frequency ?? 'daily'](dayOf(now)));
        const [asOf] = period.samples.filter((sample) => sample.at < tick).slice(-1);
        const held = [...(asOf ? [asOf] : []), ...period.samples.filter((sample) => sample.at >= tick)];
        const wasChecked = path === 'settled' && now >= tick + spreadMs && since < tick && asOf !== undefined;
        if (
          wasChecked &&
          startOf(dayOf(tick - 1)) === start &&
          held.every((sample) => sample.spent > threshold)
        )
          period.mustTrigger = true;
      }
    }
  }

  return { change, look, budgets };
}

const newPeriod = (): Period => ({
  must: new Set(),
  may: new Set(),
  hasChanged: false,
  mustTrigger: false,
  mayTrigger: false,
  samples: [],
});

type Event = {
  id?: string;
  event?: string;
  data?: { alert_id?: string; threshold?: { percentage: number } };
};
type Check = (view: string, of: string, found: unknown, expected: unknown) => void;

/** Compares with the API, and with what a webhook of the organization received since before the first budget. */
export async function checkBudgets(
  budgets: ReadonlyMap<string, Budget>,
  { ask, now, received, check }: { ask: Ask; now: Date; received: readonly unknown[] | null; check: Check },
): Promise<void> {
  const isWithin = (count: number, least: number, most: number) =>
    count >= least && count <= most ? 'as expected' : `${count}, not ${least} to ${most}`;
  const events = [...new Map((received as Event[] | null)?.map((each) => [each.id, each])).values()];
  for (const [id, { fields, raises, isDeleted, periods }] of budgets) {
    const all = [...periods.values()];
    const counted = (of: (period: Period) => boolean) => all.filter((period) => of(period)).length;
    for (const share of received ? shares : []) {
      const sent = events.filter(({ data }) => data?.alert_id === id && data.threshold?.percentage === share);
      const [least, most] = [counted(({ must }) => must.has(share)), counted(({ may }) => may.has(share))];
      check('events cost.threshold', `${id} ${share}%`, isWithin(sent.length, least, most), 'as expected');
    }
    if (isDeleted || !isJudged(fields)) continue;
    const period = periods.get(starts[fields.period ?? 'month'](dayOf(now.getTime())));
    const { reached_shares: reached } = await ask(`/api/v1/alerts/${id}`);
    const found = new Set(reached.map(({ percentage }: { percentage: number }) => percentage));
    for (const share of shares) {
      const [least, most] = [period?.must.has(share), period?.may.has(share)].map(Number);
      check(
        'alerts reached_shares',
        `${id} ${share}%`,
        isWithin(Number(found.has(share)), least!, most!),
        'as expected',
      );
    }
    const { triggers } = await ask(`/api/v1/alerts/${id}/triggers`);
    const [least, most] = [
      counted(({ mustTrigger }) => mustTrigger),
      counted(({ mayTrigger }) => mayTrigger),
    ];
    check('alerts triggers', id, isWithin(triggers.length, least, most + raises), 'as expected');
  }
}
