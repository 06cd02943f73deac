import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formAddress, manifestOf } from './manifest.ts';

test('asks for no more than reading runs and pull requests, and for events only where they can arrive', () => {
  const app = {
    owner: 'a-company-with-a-long-name-of-its-own',
    publicUrl: 'https://costs.acme.example',
    sourceId: 'src_1',
    mayComment: false,
    mayOpenFixes: false,
  };
  const reached = manifestOf({ ...app, isReachable: true });
  assert.deepEqual(reached, {
    name: 'Runcost a-company-with-a-long-name',
    url: 'https://costs.acme.example',
    redirect_url: 'https://costs.acme.example/sources/github-app',
    setup_url: 'https://costs.acme.example/sources/github-app?source=src_1',
    public: false,
    default_permissions: { actions: 'read', metadata: 'read', pull_requests: 'read' },
    hook_attributes: { url: 'https://costs.acme.example/api/v1/ingest/src_1', active: true },
    default_events: ['pull_request', 'workflow_job', 'workflow_run'],
  });
  const { hook_attributes: _, default_events: __, ...silent } = reached;
  assert.deepEqual(manifestOf({ ...app, isReachable: false }), silent);
  assert.equal(manifestOf({ ...app, owner: '', isReachable: false }).name, 'Runcost');
  assert.deepEqual(manifestOf({ ...app, isReachable: false, mayComment: true }).default_permissions, {
    actions: 'read',
    metadata: 'read',
    contents: 'read',
    pull_requests: 'write',
    checks: 'write',
  });
  assert.deepEqual(manifestOf({ ...app, isReachable: false, mayOpenFixes: true }).default_permissions, {
    actions: 'read',
    metadata: 'read',
    contents: 'write',
    workflows: 'write',
    pull_requests: 'write',
  });
});

test("leads to the form of the organization, or of the person's account", () => {
  assert.equal(
    formAddress('https://github.com', 'acme', 'src_1.x'),
    'https://github.com/organizations/acme/settings/apps/new?state=src_1.x',
  );
  assert.equal(formAddress('https://github.com', null, 's'), 'https://github.com/settings/apps/new?state=s');
});
