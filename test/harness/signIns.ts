import assert from 'node:assert/strict';
import { request, type Answer, type TestApp, type TestOrganization } from './app.ts';
import type { Issuer } from './issuer.ts';

export function setCookiesOf(answer: Answer): string[] {
  return [answer.headers['set-cookie'] ?? []].flat();
}

export function cookieNamed(answer: Answer, name: string): string {
  const line = setCookiesOf(answer).find((each) => each.startsWith(`${name}=`));
  assert.ok(line, `a cookie ${name}`);
  return line.split(';')[0]!;
}

/** Organizations whose people sign in at this issuer. */
export function companiesOf({ server, newOrganization }: TestApp, issuer: Issuer) {
  async function newCompany(fields: object = {}) {
    const organization = await newOrganization();
    const answer = await organization.send('POST', '/api/v1/identity-providers', {
      kind: 'oidc',
      name: 'Acme',
      ...issuer.client,
      allowed_domains: ['acme.test'],
      ...fields,
    });
    assert.equal(answer.status, 201, answer.text);
    return { organization, id: answer.body.data.id as string };
  }

  async function start(organization: TestOrganization, id: string, more: Record<string, string> = {}) {
    const answer = await request(server, {
      method: 'GET',
      url: '/sign-in/start',
      query: { org: organization.orgId, provider: id, ...more },
    });
    assert.equal(answer.status, 302, answer.text);
    return { location: String(answer.headers.location), cookie: cookieNamed(answer, 'runcost_sign_in') };
  }

  function finish(callback: URL, cookie: string | null): Promise<Answer> {
    const headers = cookie === null ? {} : { cookie };
    return request(server, { method: 'GET', url: callback.pathname + callback.search, headers });
  }

  /** Follows all redirects, as a browser would. */
  async function enter(organization: TestOrganization, id: string, subject: string, more = {}) {
    issuer.next.subject = subject;
    const { location, cookie } = await start(organization, id, more);
    return finish(await issuer.walk(location), cookie);
  }

  /** Returns the cookie of the session. */
  async function entered(organization: TestOrganization, id: string, subject: string): Promise<string> {
    const answer = await enter(organization, id, subject);
    assert.equal(answer.status, 302, answer.text);
    return cookieNamed(answer, 'runcost_session');
  }

  async function auditOf(organization: TestOrganization, action: string) {
    const { data } = (await organization.get('/api/v1/audit-log?per_page=100')).body;
    return data.filter((entry: { action: string }) => entry.action === action);
  }

  return { newCompany, start, finish, enter, entered, auditOf };
}
