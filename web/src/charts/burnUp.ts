type Point = readonly [part: number, amount: number];

export type PeriodForecast = {
  spent: number;
  projected: number;
  low: number | null;
  high: number | null;
  daily: readonly { date: string; cost: number | null; projected: number | null }[];
};

type Lines = {
  /** Cumulative amount by part of the period, from 0 to 1. */
  spent: Point[];
  expected: Point[];
  /** Outline of the likely range; empty if it is not known. */
  band: Point[];
  highest: number;
};

const msPerDay = 86_400_000;

/** Factor that leaves room above the highest amount. */
const headroom = 1.08;

export function burnUpOf({ daily, ...forecast }: PeriodForecast, limit: number, now: Date): Lines {
  const { spent: reached, projected, low, high } = forecast;
  const days = daily.length;
  const elapsed = daily.filter(({ cost }) => cost !== null).length;
  const today = daily[elapsed - 1]!;
  const ofToday = Math.min(1, Math.max(0, (now.getTime() - Date.parse(today.date)) / msPerDay));
  let sum = 0;
  const past = daily
    .slice(0, elapsed - 1)
    .map(({ cost }, index): Point => [(index + 1) / days, (sum += cost ?? 0)]);
  const here: Point = [(elapsed - 1 + ofToday) / days, reached];
  const coming = daily
    .slice(elapsed - 1)
    .map((day, index): Point => [(elapsed + index) / days, (sum += day.projected ?? 0)]);
  // The range widens in proportion to the forecast's growth.
  const towards = (end: number): Point[] => {
    const rest = projected - reached;
    return coming.map(([part, amount]) => [
      part,
      reached + (rest > 0 ? ((end - reached) * (amount - reached)) / rest : 0),
    ]);
  };
  return {
    spent: [[0, 0], ...past, here],
    expected: [here, ...coming],
    band: low === null || high === null ? [] : [here, ...towards(high), ...towards(low).toReversed()],
    highest: headroom * Math.max(limit, reached, projected, high ?? 0, 0.01),
  };
}
