import assert from 'node:assert/strict';
import type { LightMyRequestResponse } from 'fastify';
import type { Answer, TestApp, TestOrganization } from './app.ts';

export const march = { dataset: 'jobs', format: 'csv', from: '2026-03-01', to: '2026-03-31' };

export function createExport(organization: TestOrganization, fields: object = {}): Promise<Answer> {
  return organization.send('POST', '/api/v1/exports', { ...march, ...fields });
}

export async function newExport(organization: TestOrganization, fields: object = {}): Promise<string> {
  const created = await createExport(organization, fields);
  assert.equal(created.status, 201, created.text);
  return created.body.data.id as string;
}

export async function readExport(organization: TestOrganization, id: string): Promise<Answer['body']> {
  const answer = await organization.get(`/api/v1/exports/${id}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

export function download(
  { server }: TestApp,
  { token }: Pick<TestOrganization, 'token'>,
  id: string,
  headers: Record<string, string> = {},
  method: 'GET' | 'HEAD' = 'GET',
): Promise<LightMyRequestResponse> {
  return server.inject({
    method,
    url: `/api/v1/exports/${id}/download`,
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
}

export async function exported(
  testApp: TestApp,
  organization: TestOrganization,
  fields: object = {},
): Promise<Buffer> {
  const id = await newExport(organization, fields);
  await testApp.worker.processAll();
  const answer = await download(testApp, organization, id);
  assert.equal(answer.statusCode, 200, answer.body.slice(0, 500));
  return answer.rawPayload;
}
