import type { Logger } from 'pino';
import type { Day } from '../../../platform/lib/days.ts';
import type { Nanos } from '../../../platform/lib/money.ts';
import { renderPng } from './png.ts';

/** A pale day is shown for comparison. */
export type ChartDay = { day: Day; costNanos: Nanos; previousNanos: Nanos | null; isPale?: boolean };

const chartName = 'daily-cost';

/** The chart as an attached image, so that reading the message loads nothing; null if it could not be drawn. */
export async function chartImage(days: readonly ChartDay[], log: Pick<Logger, 'warn'>) {
  const png = await renderPng(chartSvg(days), log);
  return png && { source: `cid:${chartName}`, images: [{ name: chartName, png }] };
}

const width = 524;
const height = 120;
const barRadius = 2;
/** Both colors have enough contrast on white and on the dark card of an email. */
const barColor = '#1098ad';
const previousColor = '#8a939c';

/** Bars before paler ones of the previous period. It has no text, because servers have no fonts. */
export function chartSvg(days: readonly ChartDay[]): string {
  const highest = days.flatMap(({ costNanos, previousNanos }) => [costNanos, previousNanos ?? 0n]);
  const max = highest.reduce((most, nanos) => (nanos > most ? nanos : most), 1n);
  const step = width / days.length;
  const heightOf = (nanos: Nanos) => Number((nanos * BigInt(height - 4) * 100n) / max) / 100;
  const bars = (
    nanosOf: (day: ChartDay) => Nanos | null,
    fraction: number,
    lookOf: (day: ChartDay) => string,
  ) =>
    days.flatMap((day, index) => {
      const nanos = nanosOf(day);
      if (nanos === null) return [];
      const [barWidth, barHeight] = [step * fraction, Math.max(heightOf(nanos), 1)];
      const x = index * step + (step - barWidth) / 2;
      return [
        `<rect x="${fixed(x)}" y="${fixed(height - barHeight)}" width="${fixed(barWidth)}" height="${fixed(barHeight)}" rx="${barRadius}" ${lookOf(day)}/>`,
      ];
    });
  const shapes = [
    ...bars(
      ({ previousNanos }) => previousNanos,
      0.76,
      () => `fill="${previousColor}" fill-opacity="0.35"`,
    ),
    ...bars(
      ({ costNanos }) => costNanos,
      0.5,
      ({ isPale }) => `fill="${isPale ? previousColor : barColor}"`,
    ),
  ];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `${shapes.join('')}</svg>`
  );
}

function fixed(value: number): string {
  return String(Math.round(value * 100) / 100);
}

const blocks = '▁▂▃▄▅▆▇█';

/** The bars as one line of text for chats. */
export function sparkline(days: readonly ChartDay[]): string {
  const max = days.reduce((most, { costNanos }) => (costNanos > most ? costNanos : most), 1n);
  return days.map(({ costNanos }) => blocks[Number((costNanos * 7n + max / 2n) / max)]!).join('');
}
