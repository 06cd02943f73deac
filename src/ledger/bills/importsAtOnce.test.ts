import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { heading, importCsv, lineOf } from '../../../test/harness/bills.ts';
import { assertProblem } from '../../../test/harness/problem.ts';

const testApp = await startTestApp();

test('a server imports few reports at once, and says when to send the next', async () => {
  const organization = await testApp.newOrganization();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  let begun = 0;
  const { promise: allBegan, resolve: began } = Promise.withResolvers<void>();
  async function* slowly(day: number) {
    yield Buffer.from(`${heading}\n`);
    if (++begun === 4) began();
    await gate;
    yield Buffer.from(`${lineOf({ date: `2026-03-0${day}` })}\n`);
  }
  const sent = [1, 2, 3, 4].map((day) =>
    importCsv(testApp, organization, Readable.from(slowly(day)), { fileName: `${day}.csv` }),
  );
  await allBegan;
  const report = `${heading}\n${lineOf({ date: '2026-03-05' })}\n`;
  const refused = await importCsv(testApp, organization, report);
  assertProblem(refused, 429, 'rate_limited');
  assert.equal(refused.headers['retry-after'], '10');
  assert.match(refused.body.detail, /4 reports at once\. Send the report again in 10 seconds/);
  open();
  for (const answer of await Promise.all(sent)) assert.equal(answer.status, 201, answer.text);
  assert.equal((await importCsv(testApp, organization, report)).status, 201);
});
