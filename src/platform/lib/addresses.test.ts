import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitHubApi, gitHubPages } from './gitHubAddresses.ts';
import { isPublicAddress } from './publicAddress.ts';

test("finds GitHub's pages by the address of its API, and its API by that of its pages", () => {
  for (const [api, pages] of [
    ['https://api.github.com', 'https://github.com'],
    ['https://api.acme.ghe.com', 'https://acme.ghe.com'],
    ['https://github.acme.example/api/v3', 'https://github.acme.example'],
    ['http://127.0.0.1:4567/api/v3', 'http://127.0.0.1:4567'],
  ] as const) {
    assert.equal(gitHubPages(api), pages);
    assert.equal(gitHubApi(pages), api);
  }
});

test('knows addresses that nobody on the internet can reach', () => {
  for (const address of [
    'http://localhost:4100',
    'http://127.0.0.1',
    'http://10.1.2.3',
    'https://192.168.1.9:8443',
    'https://172.20.0.3',
    'http://[::1]:4100',
    'http://runcost',
    'https://runcost.internal',
  ]) {
    assert.equal(isPublicAddress(address), false, address);
  }
  for (const address of ['https://runcost.acme.example', 'https://172.15.0.1', 'http://198.51.100.7:4100'])
    assert.equal(isPublicAddress(address), true, address);
});
