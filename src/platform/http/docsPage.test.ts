import assert from 'node:assert/strict';
import { test } from 'node:test';
import { request, sharedTestApp } from '../../../test/harness/app.ts';

const { server } = await sharedTestApp();
const ask = (url: string) => request(server, { url });

test('the docs page loads everything from this server, as its policy demands', async () => {
  const page = await ask('/docs');
  assert.match(String(page.headers['content-type']), /text\/html/);
  assert.ok(!/https?:\/\/|<script>|<style|\son\w+=/i.test(page.text), page.text);
  const resources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
  assert.ok(resources.length >= 5, page.text);
  const isDocsScript = (address: string) => /\/docs-[^/]*\.js$/.test(address);
  assert.ok(resources.some(isDocsScript), page.text);
  for (const address of resources) {
    const { pathname } = new URL(address, 'http://here/docs');
    const resource = await server.inject({ url: pathname });
    assert.equal(resource.statusCode, 200, pathname);
    if (pathname.endsWith('.css')) assert.ok(!/url\(["']?https?:|@import/.test(resource.body), pathname);
    if (isDocsScript(pathname)) assert.ok(!/https?:\/\//.test(resource.body), pathname);
  }
  const policy = String(page.headers['content-security-policy']);
  assert.match(policy, /^default-src 'self'; script-src 'self'; style-src 'self' 'nonce-[^' ]+'; /);
  assert.match(policy, /; connect-src 'self';/);
  assert.ok(!/unsafe-eval|https?:|blob:|\*/.test(policy), policy);
});

test('the docs page is also at its address with a slash, and its former document leads to /openapi.json', async () => {
  assert.equal((await ask('/docs/')).status, 200);
  const former = await ask('/docs/json');
  assert.deepEqual([former.status, former.headers['location']], [302, '/openapi.json']);
});
