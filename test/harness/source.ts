import assert from 'node:assert/strict';
import { signGitHub, type Payload } from '../payloads/gitHub.ts';
import { request, type Answer, type SharedTestApp, type TestOrganization } from './app.ts';

/** A source, and a function that sends deliveries like its provider. */
export type TestSource = {
  id: string;
  secret: string;
  deliver: (event: string, payload: Payload) => Promise<Answer>;
};

export async function newSource(testApp: SharedTestApp, organization: TestOrganization): Promise<TestSource> {
  return deliveredTo(testApp, await createSource(organization, 'github'));
}

export function deliveredTo(testApp: SharedTestApp, { id, secret }: Omit<TestSource, 'deliver'>): TestSource {
  return {
    id,
    secret,
    deliver: (event, payload) => {
      const body = JSON.stringify(payload);
      return post(testApp, id, body, {
        'x-github-event': event,
        'x-hub-signature-256': signGitHub(body, secret),
      });
    },
  };
}

/** A GitLab source. The event is the header's value, such as `Job Hook`. */
export async function newGitLabSource(
  testApp: SharedTestApp,
  organization: TestOrganization,
): Promise<TestSource> {
  const { id, secret } = await createSource(organization, 'gitlab');
  return {
    id,
    secret,
    deliver: (event, payload) =>
      post(testApp, id, JSON.stringify(payload), { 'x-gitlab-event': event, 'x-gitlab-token': secret }),
  };
}

async function createSource(organization: TestOrganization, kind: string) {
  const created = await organization.send('POST', '/api/v1/sources', { kind });
  assert.equal(created.status, 201, created.text);
  return created.body.data as { id: string; secret: string };
}

function post({ server }: SharedTestApp, id: string, body: string, headers: Record<string, string>) {
  return request(server, {
    method: 'POST',
    url: `/api/v1/ingest/${id}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: body,
  });
}
