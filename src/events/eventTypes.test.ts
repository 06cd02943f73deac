import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Compile } from 'typebox/compile';
import { eventsOf, newAlert, spend } from '../../test/harness/alerts.ts';
import { request, startTestApp } from '../../test/harness/app.ts';
import { newWebhook } from '../../test/harness/webhooks.ts';
import { eventKinds } from './eventKinds.ts';
import { type EventData } from './eventTypes.ts';

const testApp = await startTestApp();
const { clock } = testApp;

describe('the catalog of event types', () => {
  type Kind = {
    name: string;
    title: string;
    description: string;
    schema: { $schema: string; properties?: object };
    example: object;
  };

  async function catalogue(): Promise<Kind[]> {
    const organization = await testApp.newOrganization();
    const answer = await organization.get('/api/v1/event-types');
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  }

  /** The paths of all fields of a body. */
  const fieldsOf = (value: unknown, at = ''): string[] =>
    value === null || typeof value !== 'object'
      ? [at]
      : Object.entries(value)
          .flatMap(([name, field]) => fieldsOf(field, `${at}.${name}`))
          .toSorted();

  type Described = { properties?: object; required?: string[] };

  /** The paths of all fields that every body has. */
  const requiredFields = ({ properties, required = [] }: Described, at = ''): string[] =>
    properties
      ? Object.entries(properties)
          .filter(([name]) => required.includes(name))
          .flatMap(([name, field]) => requiredFields(field as Described, `${at}.${name}`))
          .toSorted()
      : [at];

  test('has a schema and a matching example for each type', async () => {
    const kinds = await catalogue();
    assert.deepEqual(
      kinds.map(({ name }) => name),
      [
        'workflow.completed',
        'alert.triggered',
        'alert.resolved',
        'cost.threshold',
        'export.ready',
        'audit.recorded',
        'webhook.ping',
      ],
    );
    const titles = kinds.map(({ title }) => title);
    assert.equal(new Set(titles).size, kinds.length);
    assert.ok(
      titles.every((title) => /^[A-Z]/.test(title)),
      titles.join(', '),
    );
    for (const { name, description, schema, example } of kinds) {
      assert.ok(description);
      assert.match(schema.$schema, /2020-12/);
      assert.deepEqual(Compile(schema as never).Errors(example), [], name);
      const other = { ...example, event: 'other' };
      assert.notDeepEqual(Compile(schema as never).Errors(other), [], name);
      assert.notDeepEqual(Compile(schema as never).Errors({ ...example, data: {} }), [], name);
    }
  });

  test('makes the compiler check recorded data', () => {
    const alert = { id: 'a', name: 'CI budget' };
    // @ts-expect-error -- money is an exact decimal
    const inexact: EventData['cost.threshold']['threshold']['budget'] = 0.1;
    // @ts-expect-error -- without its resolution
    const incomplete: EventData['alert.resolved'] = { alert };
    assert.ok(inexact && incomplete);
  });

  test('is in the description of the API', async () => {
    const { body } = await request(testApp.server, { method: 'GET', url: '/openapi.json' });
    const kinds = await catalogue();
    assert.deepEqual(
      Object.keys(body.webhooks),
      kinds.map(({ name }) => name),
    );
    const { schema } = body.webhooks['audit.recorded'].post.requestBody.content['application/json'];
    assert.deepEqual(schema, kinds.find(({ name }) => name === 'audit.recorded')!.schema);
  });

  test('describes every field of what we always send', async () => {
    const organization = await testApp.newOrganization();
    // Paused, so that nothing leaves this machine.
    await newWebhook(organization, { events: [...eventKinds], status: 'paused' });
    const id = await newAlert(organization);
    await spend(organization, 20, '2026-03-18');
    await testApp.worker.processAll();
    await organization.send('POST', `/api/v1/alerts/${id}/check`);
    await organization.send('DELETE', `/api/v1/alerts/${id}`);
    clock.forward(120);
    await testApp.worker.processAll();
    const kinds = new Map((await catalogue()).map((kind) => [kind.name, kind]));
    for (const name of ['workflow.completed', 'alert.triggered', 'alert.resolved', 'cost.threshold']) {
      const [body] = await eventsOf(testApp, organization, name);
      const { schema } = kinds.get(name)!;
      assert.deepEqual(Compile(schema as never).Errors(body), [], name);
      assert.deepEqual(fieldsOf(body), requiredFields(schema));
    }
  });
});
