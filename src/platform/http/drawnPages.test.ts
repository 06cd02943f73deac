import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createPageDrawer, type DrawnPage } from './drawnPages.ts';

const folder = mkdtempSync(join(tmpdir(), 'runcost-drawn-'));
const file = join(folder, 'drawPage.mjs');
writeFileSync(
  file,
  `export async function drawPage({ address, send, onBroken }) {
    const { pathname } = new URL(address);
    if (pathname === '/fails') throw new Error('broken');
    if (pathname === '/ends') process.exit(1);
    if (pathname === '/part') onBroken(new Error('broken part'));
    const answer = await send(new Request('http://localhost/api/v1/session?of=' + pathname));
    return answer.ok ? { html: await answer.text(), answers: { status: answer.status } } : null;
  }`,
);
const failures: string[] = [];
const drawer = createPageDrawer(file, (reason) => failures.push(reason));
after(async () => {
  await drawer.close();
  rmSync(folder, { recursive: true });
});

const draw = (path: string, ask?: (path: string) => Promise<string>) =>
  drawer.draw({
    address: `http://localhost${path}`,
    nonce: 'nonce',
    ask: async (asked) => ({ status: 200, contentType: 'text/plain', body: (await ask?.(asked)) ?? asked }),
  });

/** Asks again for a page that was late, as on a busy machine. */
async function drawOnceReady(path: string, ask?: Parameters<typeof draw>[1]): Promise<DrawnPage> {
  const until = performance.now() + 60_000;
  while (performance.now() < until) {
    const page = await draw(path, ask);
    if (page) return page;
    await nextTurn();
  }
  throw new Error(`${path} was not drawn.`);
}

test('each page has the answers of its own reader', async () => {
  await drawOnceReady('/');
  const pages = await Promise.all(
    ['ada', 'bob', 'eve'].map((name) => drawOnceReady('/', async (path) => `${name} asked ${path}`)),
  );
  assert.deepEqual(
    pages,
    ['ada', 'bob', 'eve'].map((name) => ({
      html: `${name} asked /api/v1/session?of=/`,
      answers: '{"status":200}',
    })),
  );
});

test('late pages and those beyond four at once are left to the browser', async () => {
  await drawOnceReady('/');
  const answer = Promise.withResolvers<string>();
  const pages = Array.from({ length: 4 }, () => draw('/slow', () => answer.promise));
  assert.equal(await draw('/fifth'), null);
  assert.deepEqual(await Promise.all(pages), [null, null, null, null]);
  answer.resolve('late');
  assert.equal((await drawOnceReady('/next')).html, '/api/v1/session?of=/next');
});

test('a page with a broken part is reported, and drawn', async () => {
  await drawOnceReady('/');
  failures.length = 0;
  assert.equal((await drawOnceReady('/part')).html, '/api/v1/session?of=/part');
  assert.match(failures.splice(0).join(), /^Error: broken part\n/);
});

test('a broken page and a thread that ends are reported, and the next page is drawn', async () => {
  await drawOnceReady('/');
  assert.equal(await draw('/fails'), null);
  // It may also be late.
  while (failures.length === 0) await nextTurn();
  assert.match(failures.splice(0).join('\n'), /broken/);
  assert.equal((await drawOnceReady('/next')).html, '/api/v1/session?of=/next');
  assert.equal(await draw('/ends'), null);
  assert.equal((await drawOnceReady('/again')).html, '/api/v1/session?of=/again');
});
