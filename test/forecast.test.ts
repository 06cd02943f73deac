import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backTest, demoCosts, isNearBest } from '../bench/forecast.ts';
import { syntheticCosts, syntheticLevels } from '../bench/forecastHistories.ts';
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

test('expects month ends that cost more, and is best or within a tenth of the best of three naive rules', () => {
  for (const [name, level] of Object.entries(syntheticLevels)) {
    const forecasts = backTest(syntheticCosts(level, 1), null, 3);
    assert.ok(isNearBest(forecasts), name);
    if (name !== 'month ends at 2.5 times') continue;
    const late = forecasts.filter(({ dayOfMonth }) => dayOfMonth >= 22);
    const error = median(late.map((forecast) => Math.abs(forecast.error)));
    const within = late.filter(({ isWithin }) => isWithin).length / late.length;
    assert.ok(error < 0.05, `median error ${error} from the 22nd`);
    assert.ok(within > 0.6, `${within} in the range from the 22nd`);
  }
});
