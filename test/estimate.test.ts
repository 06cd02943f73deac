import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backTest, demoReports, recordedReports, type Prediction } from '../bench/estimate.ts';

// As in `npm run bench -- estimate`, with one company and a shorter history.
const histories: [string, Prediction[], number][] = [
  ['the demo', backTest(demoReports(70, 2), 1), 20],
  ['recorded runs', backTest(recordedReports(), 12), 10],
];

test('the cost of a month lies in the range of its prediction for at least 80% of workflows', () => {
  for (const [name, predictions, min] of histories) {
    assert.ok(predictions.length >= min, `${name}: ${predictions.length}`);
    const within = predictions.filter(({ isWithin }) => isWithin).length / predictions.length;
    assert.ok(within >= 0.8, `${name}: ${within}`);
  }
});
