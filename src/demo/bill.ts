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
import { findRecordedDays } from '../ledger/runs/reading.ts';
import { addDays, dayOf, windowBetween, type Day } from '../platform/lib/days.ts';
import { formatNanos, type Nanos } from '../platform/lib/money.ts';
import { owner } from './company.ts';

/** What GitHub billed on a day for a SKU and a repository. */
type Line = {
  day: Day;
  product: string;
  sku: string;
  unit: string;
  quantity: bigint;
  grossNanos: Nanos;
  netNanos: Nanos;
  repository: string;
};

/** Imports a report for each month up to yesterday. An organization with reports keeps its own. */
export async function importDemoBill(app: App, ctx: Context): Promise<number> {
  const { total } = await listReports(ctx, { page: 1, perPage: 1 });
  const recorded = await findRecordedDays(ctx);
  const last = addDays(dayOf(ctx.clock.now()), -1);
  if (total > 0 || recorded === null || recorded.first > last) return 0;
  const lines = await billedLines(app, ctx, { first: recorded.first, last });
  const months = Map.groupBy(lines, ({ day }) => day.slice(0, 7));
  const folder = await mkdtemp(join(tmpdir(), 'runcost-demo-'));
  try {
    for (const [month, ofMonth] of [...months].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const path = join(folder, `${month}.csv`);
      await writeFile(path, reportOf([...ofMonth, ...unknownTo(month, last)]));
      await importReport(ctx, { path, name: `usage-${month}.csv` });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return months.size;
}

/** What GitHub would bill for the recorded minutes: list prices minus what the plan includes. */
async function billedLines(
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
    return [
      { day, product: 'actions', sku: `actions_${sku}`, unit: 'minutes', quantity, ...amounts, repository },
    ];
  });
}

const dollar: Nanos = 1_000_000_000n;

/** Lines that Runcost cannot know: other products, and jobs of a week whose webhooks were lost. */
function unknownTo(month: string, last: Day): Line[] {
  const lineOf = (
    day: Day,
    fields: Pick<Line, 'product' | 'sku' | 'unit'>,
    quantity: bigint,
    nanos: Nanos,
  ): Line => ({
    day,
    ...fields,
    quantity,
    repository: `${owner}/mobile`,
    grossNanos: quantity * nanos,
    netNanos: quantity * nanos,
  });
  const copilot = { product: 'copilot', sku: 'copilot_for_business', unit: 'user-months' };
  const storage = { product: 'actions', sku: 'actions_storage', unit: 'gigabyte-hours' };
  const lost = { product: 'actions', sku: 'actions_macos_xl', unit: 'minutes' };
  const isMonthBefore = month === addDays(`${last.slice(0, 7)}-01`, -1).slice(0, 7);
  return [
    lineOf(`${month}-01`, copilot, 38n, 19n * dollar),
    lineOf(`${month}-01`, storage, 41_000n, 336_021n),
    ...(isMonthBefore ? ['12', '13', '14'] : []).map((day) =>
      lineOf(`${month}-${day}`, lost, 430n, (16n * dollar) / 100n),
    ),
  ].filter(({ day }) => day <= last);
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
      quantity,
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
