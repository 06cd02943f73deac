import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repositoryPathOf } from './payload.schema.ts';

const addresses: [address: string | null | undefined, path: string | null][] = [
  ['https://github.com/acme/api.git', 'acme/api'],
  ['https://github.com/acme/api/', 'acme/api'],
  ['http://git.acme.example:8080/acme/group/api', 'acme/group/api'],
  ['https://user:secret@git.acme.example/acme/api.git', 'acme/api'],
  ['ssh://git@host:7999/prj/api.git', 'prj/api'],
  ['ssh://git@host:7999/prj/group/api.git', 'prj/group/api'],
  ['ssh://git@host/acme/api', 'acme/api'],
  ['ssh://host/acme/api', 'acme/api'],
  ['ssh://org-1@host/acme/api', 'acme/api'],
  ['ssh://git@host:acme/group/api.git', 'acme/group/api'],
  ['ssh://git@[::1]:7999/prj/api.git', 'prj/api'],
  ['git+ssh://git@host/acme/api.git', 'acme/api'],
  ['git://github.com/acme/api.git', 'acme/api'],
  ['SSH://git@host/acme/api', 'acme/api'],
  ['git@github.com:acme/api.git', 'acme/api'],
  ['git@github.com:/acme/api.git', 'acme/api'],
  ['git@gitlab.com:acme/group/api.git', 'acme/group/api'],
  ['org-1@github.com:acme/api.git', 'acme/api'],
  ['github.com:acme/api.git', 'acme/api'],
  ['https://github.com/acme', null],
  ['git@github.com:acme', null],
  ['ssh://git@host:7999/api', null],
  ['file:///srv/git/api', null],
  ['C:/git/api', null],
  ['/srv/git/api', null],
  ['acme/api', null],
  ['https://', null],
  ['', null],
  [null, null],
  [undefined, null],
];
for (const [address, path] of addresses) {
  test(`the repository at ${JSON.stringify(address)} is ${path}`, () => {
    assert.equal(repositoryPathOf(address), path);
  });
}
