import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  backTest,
  demoReports,
  medianErrors,
  randomBackTests,
  recordedReports,
  type Prediction,
} from '../bench/estimate.ts';

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

test('the center of a random history is as near as a plain mean, and nearer if it surely grows', () => {
  const predictions = new Map(randomBackTests(60).map(({ title, found }) => [title, found]));
  const ratioOf = (title: string) => {
    const { ofEstimate, ofPlainMean } = medianErrors(predictions.get(title)!);
    return ofEstimate / ofPlainMean;
  };
  for (const title of predictions.keys()) assert.ok(ratioOf(title) < 1.0001, `${title}: ${ratioOf(title)}`);
  assert.ok(ratioOf('growing 6% a week, 12 weeks') < 0.6);
  for (const [title, found] of predictions) {
    const within = found.filter(({ isWithin }) => isWithin).length / found.length;
    assert.ok(within >= 0.85, `${title}: ${within}`);
  }
});
