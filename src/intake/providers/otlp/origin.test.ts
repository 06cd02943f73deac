import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { receivedAt } from '../../../../test/payloads/gitHubReadings.ts';
import { tracesOf, type Attributes } from '../../../../test/payloads/otlp.ts';
import { conventionsTrace } from '../../../../test/payloads/otlpExamples.ts';
import { readOtlpJson } from './json.ts';
import { readTraces } from './readTraces.ts';

/** The run, attempt and repository of a span, here with GitHub's run 42 and no address. */
function placeWith(attributes: Attributes): unknown[] {
  const addresses = { 'cicd.pipeline.run.url.full': '', 'vcs.repository.url.full': '' };
  const run = { 'vcs.provider.name': 'github', 'cicd.pipeline.run.id': 42, ...addresses, ...attributes };
  const trace = conventionsTrace(run);
  const request = tracesOf([{ attributes: {}, spans: [trace.spans[0]!] }]);
  const { reports, reasons } = readTraces(readOtlpJson(Buffer.from(JSON.stringify(request))), receivedAt);
  assert.deepEqual(reasons, []);
  const { provider, runId, attempt, repository } = reports[0]!;
  return [provider, runId, attempt, repository];
}

describe('a run of GitHub is the same as by webhook', () => {
  for (const host of [
    'github.com',
    'www.github.com',
    'WWW.GitHub.com',
    'api.github.com',
    'api.github.com/repos',
  ]) {
    test(`with an address on ${host}`, () => {
      const repository = `https://${host}/acme/web`;
      const run = `${repository}/actions/runs/42/attempts/3`;
      const webhooks = ['github', '42', 3, 'acme/web'];
      assert.deepEqual(placeWith({ 'cicd.pipeline.run.url.full': run }), webhooks);
      assert.deepEqual(placeWith({ 'cicd.pipeline.task.run.url.full': run }), webhooks);
      const expected = { 'vcs.repository.url.full': repository, 'github.run_attempt': 3 };
      assert.deepEqual(placeWith(expected), webhooks);
    });
  }
});

test('a server with a similar name is another server', () => {
  for (const host of ['api.github.com.example', 'notgithub.com', 'ghe.api.github.com', 'github.com:8443']) {
    const run = `https://${host}/acme/web/actions/runs/42`;
    assert.equal(placeWith({ 'cicd.pipeline.run.url.full': run })[0], `github.${host}`);
  }
});

describe("a run of a GitHub server is the same as by that server's webhook", () => {
  for (const [host, address] of [
    ['ghe.example.com', 'https://ghe.example.com'],
    ['ghe.example.com', 'https://ghe.example.com/api/v3/repos'],
    ['github.mycorp.com:8443', 'https://github.mycorp.com:8443/api/v3/repos'],
    ['acme.ghe.com', 'https://acme.ghe.com'],
    ['acme.ghe.com', 'https://api.acme.ghe.com/repos'],
  ] as const) {
    test(`with an address at ${address}`, () => {
      const repository = `${address}/acme/web`;
      const webhooks = [`github.${host}`, '42', 3, 'acme/web'];
      const run = `${repository}/actions/runs/42/attempts/3`;
      assert.deepEqual(placeWith({ 'cicd.pipeline.run.url.full': run }), webhooks);
      assert.deepEqual(placeWith({ 'cicd.pipeline.task.run.url.full': run }), webhooks);
      const expected = { 'vcs.repository.url.full': repository, 'github.run_attempt': 3 };
      assert.deepEqual(placeWith(expected), webhooks);
    });
  }

  test('needs a provider name: other products have similar addresses', () => {
    const run = 'https://code.example.com/acme/web/actions/runs/42';
    const unnamed = { 'vcs.provider.name': '', 'cicd.pipeline.run.url.full': run };
    assert.deepEqual(placeWith(unnamed), ['otlp', '42', 1, 'acme/web']);
    assert.equal(placeWith({ ...unnamed, 'vcs.provider.name': 'gitea' })[0], 'gitea');
  });
});

test('a repository can be named repos', () => {
  const run = 'https://github.com/repos/web/actions/runs/42';
  assert.equal(placeWith({ 'cicd.pipeline.run.url.full': run })[3], 'repos/web');
});
