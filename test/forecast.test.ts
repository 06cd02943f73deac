import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backTest, demoCosts } from '../bench/forecast.ts';
import { median } from '../bench/statistics.ts';

// As in `npm run bench -- forecast`, with one company with fewer runs and months.
const costs = demoCosts({ days: 220, runs: 12_100, seed: 1 });

test("the forecast for the demo's months is the median of their outcomes, and its range contains as many as promised", () => {
  const forecasts = backTest(costs, 90).filter(({ isWithin }) => isWithin !== null);
  assert.ok(forecasts.length > 100);
  const error = median(forecasts.map((forecast) => Math.abs(forecast.error)));
  const bias = median(forecasts.map((forecast) => forecast.error));
  const atUsualPace = median(forecasts.map(({ usualPaceError }) => usualPaceError));
  const within = forecasts.filter(({ isWithin }) => isWithin).length / forecasts.length;
  assert.ok(error < 0.04, `median error ${error}`);
  assert.ok(Math.abs(bias) < 0.02, `bias ${bias}`);
  assert.ok(Math.abs(bias) < Math.abs(atUsualPace) / 3, `bias ${bias}, linear ${atUsualPace}`);
  assert.ok(within > 0.5 && within < 0.9, `${within} in the range`);
});
