import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAlert, newAlert, triggersOf } from '../../../test/harness/alerts.ts';
import { startTestApp } from '../../../test/harness/app.ts';
import { openChat } from '../../../test/harness/receivers.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { daysOf, weekdayOf, windowBetween } from '../../platform/lib/days.ts';

const testApp = await startTestApp();
const { clock } = testApp;

const sentence =
  'Mar 10–11 cost $28.80 more: 3 new macOS 3-core jobs of CI in acme/mobile, from pull request 482. Not over by Mar 11.';

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
    const days = daysOf(windowBetween('2026-02-01', '2026-03-11')).filter(
      (day) => !weekdayOf(day).startsWith('s'),
    );
    const runs = days.map((day) => {
      const [started_at, completed_at] = [`${day}T08:00:00Z`, `${day}T09:00:00Z`];
      const job = (name: string, fields = {}) => newJob({ name, started_at, completed_at, ...fields });
      const isNew = day >= '2026-03-10';
      const ios = isNew ? [1, 2, 3].map((at) => job(`ios (${at})`, { runner: 'macos_3_core' })) : [];
      return newRun({
        run_id: `ci-${day}`,
        repo_name: 'acme/mobile',
        workflow_name: 'CI',
        created_at: started_at,
        started_at,
        jobs: [job('build'), ...ios],
        ...(isNew && { pull_request: 482 }),
      });
    });
    await submit(organization, ...runs);
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
