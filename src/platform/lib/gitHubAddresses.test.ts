import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitHubApi, gitHubPages } from './gitHubAddresses.ts';

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
