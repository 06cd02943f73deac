import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAlert, newAlert, triggersOf } from '../../../test/harness/alerts.ts';
import { startTestApp } from '../../../test/harness/app.ts';
import { burstUntil } from '../../../test/harness/dailyRuns.ts';
import { openChat } from '../../../test/harness/receivers.ts';
import { submit } from '../../../test/harness/submission.ts';

const testApp = await startTestApp();
const { clock } = testApp;

const sentence =
  'Mar 10–11 cost $28.80 more: 3 new macOS 3-core jobs of CI in acme/mobile, from pull request 482. Still so on Mar 11.';

test('a trigger and its messages begin with what happened', async () => {
  const [slack, json] = [await openChat(), await openChat()];
  clock.set('2026-03-11T12:00:00Z');
  const alerts: { organization: Awaited<ReturnType<typeof testApp.newOrganization>>; id: string }[] = [];
  for (const [chat, format] of [
    [slack, 'slack'],
    [json, 'json'],
  ] as const) {
    const organization = await testApp.newOrganization();
    await organization.send('PUT', '/api/v1/organization', { chat_webhook: { url: chat.url, format } });
    await submit(organization, ...burstUntil('2026-03-11'));
    const id = await newAlert(organization, { threshold_amount: 20 });
    await checkAlert(organization, id);
    alerts.push({ organization, id });
  }
  assert.match(
    JSON.stringify(slack.bodies),
    new RegExp(`"${sentence.replace(/[.$]/g, '\\$&')} [^"]*has spent`),
  );
  assert.equal((json.bodies.at(-1) as { happened: string }).happened, sentence);

  const [{ organization, id }] = alerts as [(typeof alerts)[number]];
  const [trigger] = await triggersOf(organization, id);
  const { body } = await organization.get(`/api/v1/alerts/${id}/triggers/${trigger.id}`);
  const { happened } = body.data.explanation;
  assert.equal(happened.sentence, sentence);
  assert.equal(happened.run_id, 'run_api_ci-2026-03-10');
  assert.equal(happened.sentence_parts.map(({ text }: { text: string }) => text).join(''), sentence);
});
