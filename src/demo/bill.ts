import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from '../app.ts';
import type { Context } from '../context.ts';
import { importReport } from '../ledger/bills/importReport.ts';
import { listReports } from '../ledger/bills/reports.ts';
import { skuOfKind, systemOfSku } from '../ledger/bills/skus.ts';
import type { CostQuestion } from '../ledger/costs/costQuestion.ts';
import { getCostsTogether } from '../ledger/costs/costs.ts';
import { partOf } from '../ledger/pools/poolCost.ts';
import { findRecordedDays } from '../ledger/runs/reading.ts';
import { addDays, dayOf, daysOf, monthAround, windowBetween, type Day } from '../platform/lib/days.ts';
import { formatNanos, type Nanos } from '../platform/lib/money.ts';
import { owner } from './company.ts';
import type { StorageLine } from './otherUse.ts';

/** What GitHub billed on a day for a SKU and a repository. */
type Line = {
  day: Day;
  product: string;
  sku: string;
  unit: string;
  /** In billionths. */
  quantity: bigint;
  grossNanos: Nanos;
  netNanos: Nanos;
  /** '' for what belongs to the organization. */
  repository: string;
};

/** Imports the missing reports of the months up to yesterday. An organization with other reports keeps its own. */
export async function importDemoBill(
  app: App,
  ctx: Context,
  storageUntil: (last: Day) => readonly StorageLine[],
  now: Date = ctx.clock.now(),
): Promise<number> {
  const { rows: reports } = await listReports(ctx, { page: 1, perPage: 100 });
  const imported = new Set(reports.map(({ fileName }) => fileName));
  const recorded = await findRecordedDays(ctx);
  const last = addDays(dayOf(now), -1);
  const isOwn = [...imported].some((name) => !/^usage-\d{4}-\d\d\.csv$/.test(name));
  if (isOwn || recorded === null || recorded.first > last) return 0;
  const months = new Set(daysOf(windowBetween(recorded.first, last)).map((day) => day.slice(0, 7)));
  const missing = [...months].filter((month) => !imported.has(nameOf(month)));
  if (missing.length === 0) return 0;
  const minutes = await minuteLines(app, ctx, { first: recorded.first, last });
  const lines = [...minutes, ...storageUntil(last).map(storageLine), ...unknownLines(recorded.first, last)];
  const ofMonths = Map.groupBy(lines, ({ day }) => day.slice(0, 7));
  const folder = await mkdtemp(join(tmpdir(), 'runcost-demo-'));
  try {
    for (const month of missing) {
      const path = join(folder, `${month}.csv`);
      await writeFile(path, reportOf(ofMonths.get(month)!));
      await importReport(ctx, { path, name: nameOf(month) });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return missing.length;
}

const nameOf = (month: string) => `usage-${month}.csv`;

/** What GitHub would bill for the recorded minutes: list prices minus what the plan includes. */
async function minuteLines(
  app: App,
  ctx: Context,
  { first, last }: { first: Day; last: Day },
): Promise<Line[]> {
  const questionOf = (metric: CostQuestion['metric']): CostQuestion => ({
    window: windowBetween(first, last),
    groupBy: ['repository', 'runner'],
    metric,
    filters: [{ dimension: 'provider', values: ['=github'] }],
    granularity: 'day',
    compare: 'none',
    sort: 'name',
    limit: Infinity,
  });
  const [minutes, cost, net] = await getCostsTogether(
    { ...ctx, log: app.log },
    (['minutes', 'cost', 'net_cost'] as const).map(questionOf),
  );
  const valuesOf = (costs: typeof net) => {
    const byCell = new Map<string, bigint>();
    for (const { values, series } of costs!.groups)
      for (const { start, value } of series) byCell.set(JSON.stringify([...values, start]), value);
    return byCell;
  };
  const [costs, nets] = [valuesOf(cost), valuesOf(net)];
  return [...valuesOf(minutes)].flatMap(([key, quantity]) => {
    const [repository, kind, day] = JSON.parse(key) as [string, string | null, Day];
    const sku = kind === null ? null : skuOfKind(kind);
    // GitHub bills its own runners only.
    if (quantity === 0n || sku === null || systemOfSku(sku) === null) return [];
    const amounts = { grossNanos: costs.get(key) ?? 0n, netNanos: nets.get(key) ?? 0n };
    return [{ day, ...minutesOf(sku), quantity: quantity * billion, ...amounts, repository }];
  });
}

const billion = 1_000_000_000n;
const minutesOf = (sku: string) => ({ product: 'actions', sku: `actions_${sku}`, unit: 'minutes' });

function storageLine({ costNanos, ...line }: StorageLine): Line {
  const sku = { product: 'actions', sku: 'actions_storage', unit: 'gigabyte-hours' };
  return { ...line, ...sku, grossNanos: costNanos, netNanos: costNanos };
}

const copilotSeats = 38n;
const seatNanos: Nanos = 19n * billion;

/** Lines that Runcost cannot know: seats, and jobs of three days whose webhooks were lost. */
function unknownLines(first: Day, last: Day): Line[] {
  const monthBefore = addDays(`${last.slice(0, 7)}-01`, -1).slice(0, 7);
  const lost = ['12', '13', '14'].map((day) => `${monthBefore}-${day}`);
  return daysOf(windowBetween(`${first.slice(0, 7)}-01`, last)).flatMap((day) => {
    const part = { ...monthAround(day), day };
    const seats = partOf(copilotSeats * seatNanos, part);
    const lineOf = (
      fields: Pick<Line, 'product' | 'sku' | 'unit' | 'repository'>,
      quantity: bigint,
      nanos: Nanos,
    ) => ({
      day,
      ...fields,
      quantity,
      grossNanos: nanos,
      netNanos: nanos,
    });
    const copilot = { product: 'copilot', sku: 'copilot_for_business', unit: 'user-months', repository: '' };
    const macs = { ...minutesOf('macos_xl'), repository: `${owner}/mobile` };
    return [
      lineOf(copilot, partOf(copilotSeats * billion, part), seats),
      ...(lost.includes(day) ? [lineOf(macs, 430n * billion, (430n * 16n * billion) / 100n)] : []),
    ];
  });
}

function reportOf(lines: readonly Line[]): string {
  const heading =
    'date,product,sku,quantity,unit_type,applied_cost_per_quantity,gross_amount,discount_amount,net_amount,' +
    'organization,repository,cost_center_name';
  const rows = lines.map(({ day, product, sku, unit, quantity, grossNanos, netNanos, repository }) =>
    [
      day,
      product,
      sku,
      formatNanos(quantity),
      unit,
      '',
      ...[grossNanos, grossNanos - netNanos, netNanos].map(formatNanos),
      owner,
      repository,
      '',
    ].join(','),
  );
  return [heading, ...rows, ''].join('\n');
}
