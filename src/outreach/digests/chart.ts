import type { Day } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';

export type ChartDay = { day: Day; costNanos: Nanos; previousNanos: Nanos | null };

const width = 524;
const height = 120;
const barRadius = 2;
/** Both colors stand out on white and on the dark card of an email. */
const barColor = '#1098ad';
const previousColor = '#8a939c';

/**
 * The cost of each day as bars, and of the day in the period before as a mark. It has no text, because servers have no
 * fonts: what it shows is said beside it.
 */
export function chartSvg(days: readonly ChartDay[]): string {
  const highest = days.flatMap(({ costNanos, previousNanos }) => [costNanos, previousNanos ?? 0n]);
  const max = highest.reduce((most, nanos) => (nanos > most ? nanos : most), 1n);
  const step = width / days.length;
  const barWidth = step * 0.68;
  const heightOf = (nanos: Nanos) => Number((nanos * BigInt(height - 4) * 100n) / max) / 100;
  const shapes = days.flatMap(({ costNanos, previousNanos }, index) => {
    const x = index * step + (step - barWidth) / 2;
    const bar = Math.max(heightOf(costNanos), 1);
    const mark = previousNanos === null ? null : height - heightOf(previousNanos) - 1;
    return [
      `<rect x="${fixed(x)}" y="${fixed(height - bar)}" width="${fixed(barWidth)}" height="${fixed(bar)}" rx="${barRadius}" fill="${barColor}"/>`,
      ...(mark === null
        ? []
        : [
            `<rect x="${fixed(x - 2)}" y="${fixed(mark)}" width="${fixed(barWidth + 4)}" height="2" fill="${previousColor}"/>`,
          ]),
    ];
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `${shapes.join('')}</svg>`
  );
}

function fixed(value: number): string {
  return String(Math.round(value * 100) / 100);
}

const blocks = '▁▂▃▄▅▆▇█';

/** The bars as one line of text, for chats. */
export function sparkline(days: readonly ChartDay[]): string {
  const max = days.reduce((most, { costNanos }) => (costNanos > most ? costNanos : most), 1n);
  return days.map(({ costNanos }) => blocks[Number((costNanos * 7n + max / 2n) / max)]!).join('');
}
