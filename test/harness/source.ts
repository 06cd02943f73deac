import assert from 'node:assert/strict';
import { signGitHub, type Payload } from '../factories.ts';
import { request, type Answer, type TestApp, type TestOrganization } from './app.ts';

/** A GitHub source of an organization, and the deliveries that GitHub would make to it. */
export type TestSource = {
  id: string;
  secret: string;
  deliver: (event: string, payload: Payload) => Promise<Answer>;
};

export async function newSource({ server }: TestApp, organization: TestOrganization): Promise<TestSource> {
  const created = await organization.send('POST', '/api/v1/sources', { kind: 'github' });
  assert.equal(created.status, 201, created.text);
  const { id, secret } = created.body.data as { id: string; secret: string };
  return {
    id,
    secret,
    deliver: (event, payload) => {
      const body = JSON.stringify(payload);
      return request(server, {
        method: 'POST',
        url: `/api/v1/ingest/${id}`,
        headers: {
          'content-type': 'application/json',
          'x-github-event': event,
          'x-hub-signature-256': signGitHub(body, secret),
        },
        payload: body,
      });
    },
  };
}
