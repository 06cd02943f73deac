import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkAlert, newAlert, spend } from '../../../test/harness/alerts.ts';
import { startTestApp } from '../../../test/harness/app.ts';

const { app, clock, worker, newOrganization } = await startTestApp();
const path = '/api/v1/channels';

/** A kind that only this app has: what it needs is one object. */
describe('a made-up kind', () => {
  const sent: { values: object; title: string; isResolved: boolean | undefined }[] = [];
  app.channelKinds.pigeon = {
    title: 'Carrier pigeon',
    description: 'Sends a pigeon to a loft.',
    fields: {
      loft: { title: 'Loft', type: 'text', help: 'Ask the keeper.', example: 'Dover' },
      whistle: { title: 'Whistle', type: 'text', isSecret: true, help: 'Blow it once.' },
    },
    takesResolutions: true,
    deliver: (_outlet, { wording, trigger }, { values }) => {
      sent.push({ values, title: wording.title, isResolved: trigger?.isResolved });
      return Promise.resolve({ isDelivered: true, statusCode: null });
    },
  };

  test('has its form, its test and its messages by the API alone', async () => {
    clock.set('2026-03-18T12:00:00Z');
    const organization = await newOrganization();
    await spend(organization, 12, '2026-03-17');
    const kinds = (await organization.get('/api/v1/channel-kinds')).body.data;
    assert.deepEqual(kinds.at(-1), {
      kind: 'pigeon',
      title: 'Carrier pigeon',
      description: 'Sends a pigeon to a loft.',
      takes_digests: true,
      takes_resolutions: true,
      fields: [
        {
          name: 'loft',
          title: 'Loft',
          type: 'text',
          is_secret: false,
          is_required: true,
          help: 'Ask the keeper.',
          example: 'Dover',
          choices: [],
        },
        {
          name: 'whistle',
          title: 'Whistle',
          type: 'text',
          is_secret: true,
          is_required: true,
          help: 'Blow it once.',
          example: null,
          choices: [],
        },
      ],
    });
    const values = { loft: 'Dover', whistle: 'peep-peep' };
    const tested = await organization.send('POST', `${path}/test`, { kind: 'pigeon', settings: values });
    assert.equal(tested.body.data.delivered, true, tested.text);
    const channel = { name: 'pigeons', kind: 'pigeon', settings: values };
    const { id } = (await organization.send('POST', path, channel)).body.data;
    const { settings } = (await organization.get(`${path}/${id}`)).body.data;
    assert.deepEqual(settings, { loft: 'Dover', whistle: '…peep' });
    const alert = await newAlert(organization, { channel_ids: [id] });
    await checkAlert(organization, alert);
    await organization.send('PUT', `/api/v1/alerts/${alert}`, { threshold_amount: 500 });
    await worker.processAll();
    const digest = { frequency: 'weekly', is_personal: false, channel_ids: [id] };
    assert.equal((await organization.send('POST', '/api/v1/digests', digest)).status, 201);
    clock.set('2026-03-23T08:01:00Z');
    await worker.processAll();
    assert.deepEqual(sent, [
      { values, title: 'Test message', isResolved: undefined },
      { values, title: 'Budget exceeded', isResolved: false },
      { values, title: 'Resolved', isResolved: true },
      { values, title: 'Weekly digest', isResolved: undefined },
    ]);
  });
});
