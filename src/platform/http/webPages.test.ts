import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { request, startTestApp } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { buildServer } from '../../server.ts';

const folder = mkdtempSync(join(tmpdir(), 'runcost-web-'));
after(() => rmSync(folder, { recursive: true }));

const script = `document.title = '${'x'.repeat(3_000)}';`;
const files: Record<string, string | Buffer> = {
  'index.html': `<!doctype html><head><meta name="csp-nonce" content="__NONCE__" />
    <style nonce="__NONCE__">body { margin: 0 }</style>
    <script type="module" src="/assets/index-C0FFEE12.js"></script></head>`,
  'docs.html': '<!doctype html><title>Runcost API</title><style nonce="__NONCE__"></style>',
  'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'assets/index-C0FFEE12.js': script,
  'assets/index-C0FFEE12.js.gz': gzipSync(script),
  'assets/index-C0FFEE12.js.br': brotliCompressSync(script),
  'assets/plain-12345678.css': 'body { color: red }',
  'assets/.hidden': 'hidden',
};
mkdirSync(join(folder, 'web', 'assets'), { recursive: true });
for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, 'web', name), content);
writeFileSync(join(folder, 'secret.txt'), 'not served');

const testApp = await startTestApp();
const server = await buildServer(testApp.app, { webFolder: join(folder, 'web') });
const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

const get = (url: string, headers: Record<string, string> = browser, method: 'GET' | 'HEAD' = 'GET') =>
  server.inject({ method, url, headers });

describe('the page', () => {
  test('answers every address that a browser opens, so that its script finds the view', async () => {
    for (const url of [
      '/',
      '/?a=1.5',
      '/sign-in',
      '/workflows',
      '/workflows/wf_1?page=2',
      '/settings/tokens/',
      '/apis',
      '/docs-of-ours',
    ]) {
      const answer = await get(url);
      assert.equal(answer.statusCode, 200, url);
      assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.match(answer.body, /^<!doctype html>/);
      assert.equal(answer.headers['x-content-type-options'], 'nosniff');
      assert.equal(answer.headers['referrer-policy'], 'no-referrer');
    }
    assert.equal((await get('/', {})).statusCode, 200, '/ is the page for whoever asks');
  });

  test('has moved from old addresses, with the rest of the query', async () => {
    for (const [from, to] of [
      ['/showback?month=2026-03&by=cost_center&org=acme', '/teams?month=2026-03&by=cost_center&org=acme'],
      ['/backfills', '/history'],
      ['/backfills?search=why?&page=2', '/history?search=why?&page=2'],
      ['/settings/pricing?org=acme&tab=included', '/settings/discounts?org=acme'],
    ] as const) {
      const { statusCode, headers } = await get(from);
      assert.deepEqual([statusCode, headers.location], [302, to]);
    }
    for (const kept of ['/settings/pricing?tab=rules', '/teams', '/constructor'])
      assert.equal((await get(kept)).statusCode, 200, kept);
  });

  test('has an icon also at the address where browsers look by default', async () => {
    const { statusCode, headers } = await get('/favicon.ico', {});
    assert.deepEqual([statusCode, headers.location], [302, '/icon.svg']);
  });

  test('has its head before the rest is drawn', async () => {
    const web = join(folder, 'parts');
    for (const part of ['assets', 'drawn']) mkdirSync(join(web, part), { recursive: true });
    writeFileSync(join(web, 'index.html'), '<head></head><body><div id="root"></div></body>');
    writeFileSync(
      join(web, 'drawn/drawPage.js'),
      `export async function drawPage({ send }) {
        await send(new Request('http://localhost/gate'));
        return { html: 'figures', answers: {} };
      }`,
    );
    const drawing = await buildServer(testApp.app, { webFolder: web });
    let gate = Promise.withResolvers<void>();
    drawing.get('/gate', async () => gate.promise.then(() => ({})));
    const address = await drawing.listen({ port: 0, host: '127.0.0.1' });
    for (const encoding of ['gzip', 'identity']) {
      const readOnce = async (): Promise<string> => {
        gate = Promise.withResolvers();
        const headers = { accept: 'text/html', 'accept-encoding': encoding, cookie: 'runcost_session=some' };
        const answer = await fetch(address, { headers });
        assert.equal(answer.headers.get('content-encoding'), encoding === 'gzip' ? 'gzip' : null);
        let text = '';
        for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) {
          text += part;
          if (text.includes('</head>')) gate.resolve();
        }
        return text;
      };
      // The thread that draws starts with the first page.
      let page = await readOnce();
      while (!page.includes('figures')) page = await readOnce();
      assert.equal(page, '<head></head><body><div id="root">figures</div></body>');
    }
    await drawing.close();
  });

  test('has a policy with its own nonce, which its styles carry', async () => {
    const nonces = new Set<string>();
    for (let index = 0; index < 3; index++) {
      const { headers, body } = await get('/alerts');
      const [, nonce] = /<meta name="csp-nonce" content="([A-Za-z0-9+/]{24})" \/>/.exec(body)!;
      nonces.add(nonce!);
      assert.ok(body.includes(`<style nonce="${nonce}">`));
      assert.ok(!body.includes('__NONCE__'));
      assert.equal(
        headers['content-security-policy'],
        `default-src 'self'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; style-src-attr 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self' https://github.com; frame-ancestors 'none'`,
      );
    }
    assert.equal(nonces.size, 3);
  });

  test('answers HEAD without a body', async () => {
    for (const url of ['/', '/workflows']) {
      const answer = await get(url, browser, 'HEAD');
      assert.equal(answer.statusCode, 200);
      assert.equal(answer.body, '');
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.match(String(answer.headers['content-security-policy']), /'nonce-/);
    }
  });

  test('is not sent to programs, nor for unknown addresses of the API or of files', async () => {
    for (const [url, headers] of [
      ['/workflows', {}],
      ['/workflows', { accept: '*/*' }],
      ['/workflows', { accept: 'application/json' }],
      ['/api', browser],
      ['/api/v1', browser],
      ['/api/v1/nowhere', browser],
      ['/assets', browser],
      ['/assets/', browser],
      ['/assets/nowhere', browser],
      ['/assets/index-00000000.js', browser],
      ['/docs/nowhere', browser],
      ['/openapi.json/x', browser],
      ['/healthz/x', browser],
      ['/readyz/x', browser],
      ['/robots.txt', browser],
      ['/workflows/a.b', browser],
    ] as const) {
      const answer = await request(server, { method: 'GET', url, headers });
      assertProblem(answer, 404, 'route_not_found');
    }
    for (const method of ['POST', 'PUT', 'DELETE'] as const) {
      const answer = await request(server, { method, url: '/workflows', headers: browser });
      assertProblem(answer, 404, 'route_not_found');
    }
  });

  test('leaves the API, its docs and its document alone', async () => {
    assert.equal((await get('/healthz')).body, '{"status":"ok"}');
    assert.equal((await get('/openapi.json')).json().openapi, '3.1.0');
    const docs = await get('/docs');
    assert.match(docs.body, /Runcost API/);
    const [, nonce] = /<style nonce="([^"]{24})">/.exec(docs.body)!;
    assert.ok(String(docs.headers['content-security-policy']).includes(`'nonce-${nonce}'`));
    const refused = await request(server, { method: 'GET', url: '/api/v1/members', headers: browser });
    assertProblem(refused, 401, 'token_missing');
    const { paths } = (await get('/openapi.json')).json();
    assert.deepEqual(
      Object.keys(paths).filter((path) => !path.startsWith('/api/')),
      [
        '/healthz',
        '/readyz',
        '/openapi.json',
        '/unsubscribe/{link}',
        '/subscribe/{link}',
        '/unsubscribe/digest/{link}',
        '/badge/{link}.svg',
        '/v1/traces',
      ],
    );
  });
});

describe('a file of the page', () => {
  test('is cached for good if its name changes with its content, and sent compressed', async () => {
    const url = '/assets/index-C0FFEE12.js';
    for (const [accepted, encoding, sent] of [
      ['gzip, deflate, br', 'br', files['assets/index-C0FFEE12.js.br']],
      ['gzip', 'gzip', files['assets/index-C0FFEE12.js.gz']],
      ['', undefined, Buffer.from(script)],
    ] as const) {
      const answer = await get(url, { 'accept-encoding': accepted });
      assert.equal(answer.statusCode, 200);
      assert.equal(answer.headers['content-encoding'], encoding);
      assert.deepEqual(answer.rawPayload, sent);
      assert.match(String(answer.headers['content-type']), /\/javascript; charset=utf-8$/);
      assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.match(String(answer.headers.vary), /accept-encoding/i);
      assert.match(String(answer.headers['x-request-id']), /^[0-9a-f-]{36}$/);
    }
    assert.equal(gunzipSync(files['assets/index-C0FFEE12.js.gz'] as Buffer).toString(), script);
  });

  test('is compressed on the fly if it is stored uncompressed', async () => {
    const answer = await get('/assets/plain-12345678.css', { 'accept-encoding': 'gzip, br' });
    assert.equal(answer.headers['content-encoding'], 'gzip');
    assert.equal(gunzipSync(answer.rawPayload).toString(), files['assets/plain-12345678.css']);
    assert.match(String(answer.headers['content-type']), /^text\/css/);
  });

  test('answers HEAD, and 304 to those who have it', async () => {
    for (const url of ['/assets/index-C0FFEE12.js', '/icon.svg']) {
      const head = await get(url, {}, 'HEAD');
      assert.equal(head.statusCode, 200);
      assert.equal(head.body, '');
      const again = await get(url, { 'if-none-match': String(head.headers.etag) });
      assert.equal(again.statusCode, 304);
    }
  });

  test('is requested again within the hour if its name stays', async () => {
    const answer = await get('/icon.svg');
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers['content-type'], 'image/svg+xml');
    assert.equal(answer.headers['cache-control'], 'public, max-age=3600');
  });

  test('is never outside its folder, hidden, or the page without its nonce', async () => {
    for (const url of [
      '/assets/../index.html',
      '/assets/..%2findex.html',
      '/assets/..%2f..%2fsecret.txt',
      '/assets/%2e%2e/%2e%2e/secret.txt',
      '/assets//etc/passwd',
      '/..%2fsecret.txt',
      '/assets/.hidden',
      '/index.html',
      '/docs.html',
    ]) {
      assertProblem(await request(server, { method: 'GET', url, headers: browser }), 404, 'route_not_found');
    }
  });
});

test('if the pages are not built, / and /docs lead to the document, and the log says so once', async () => {
  const linesOf = () =>
    testApp
      .logged()
      .split('\n')
      .filter((line) => line.includes('pages are not built'));
  const before = linesOf().length;
  const bare = await buildServer(testApp.app, { webFolder: join(folder, 'nowhere') });
  for (const url of ['/', '/docs', '/docs/']) {
    const answer = await bare.inject({ url, headers: browser });
    assert.deepEqual([answer.statusCode, answer.headers.location], [302, '/openapi.json']);
  }
  assertProblem(
    await request(bare, { method: 'GET', url: '/workflows', headers: browser }),
    404,
    'route_not_found',
  );
  assert.equal(linesOf().length, before + 1);
});
