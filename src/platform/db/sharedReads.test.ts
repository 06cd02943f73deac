import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCombinedReads, createSharedReads } from './sharedReads.ts';

/** A read that ends when the test resolves it, and returns the `value` from its start. */
function slowRead() {
  const state = { value: 1, begun: 0, end: [] as (() => void)[] };
  const read = (): Promise<number> => {
    state.begun += 1;
    const seen = state.value;
    return new Promise((resolve) => void state.end.push(() => resolve(seen)));
  };
  return { state, read };
}

test('callers during a read share the next read, and never see an older value', async () => {
  const { state, read } = slowRead();
  const share = createSharedReads<number>();
  const first = share('a', read);
  state.value = 2;
  const later = [share('a', read), share('a', read), share('a', read)];
  assert.equal(state.begun, 1);
  state.end[0]!();
  assert.equal(await first, 1);
  await Promise.resolve();
  assert.equal(state.begun, 2);
  state.value = 3;
  const last = share('a', read);
  state.end[1]!();
  assert.deepEqual(await Promise.all(later), [2, 2, 2]);
  state.end[2]!();
  assert.equal(await last, 3);
  assert.equal(state.begun, 3);
});

test('different keys do not wait for each other', async () => {
  const { state, read } = slowRead();
  const share = createSharedReads<number>();
  const both = [share('a', read), share('b', read)];
  assert.equal(state.begun, 2);
  for (const end of state.end) end();
  await Promise.all(both);
});

test('a failed read fails its own callers, and the next ones read again', async () => {
  const share = createSharedReads<number>();
  const failing = share('a', () => Promise.reject(new Error('away')));
  const after = share('a', async () => 7);
  await assert.rejects(failing, /away/);
  assert.equal(await after, 7);
  assert.equal(await share('a', async () => 8), 8);
});

test('callers with other keys share the next read as well, and each gets its own value', async () => {
  const asked: string[][] = [];
  const end: (() => void)[] = [];
  const find = createCombinedReads((keys) => {
    asked.push(keys);
    const found = new Map(keys.filter((key) => key !== 'none').map((key) => [key, `${key}${asked.length}`]));
    return new Promise<typeof found>((resolve) => void end.push(() => resolve(found)));
  });
  const first = find('a');
  const later = [find('a'), find('b'), find('none'), find('b')];
  assert.deepEqual(asked, [['a']]);
  end[0]!();
  assert.equal(await first, 'a1');
  await Promise.resolve();
  const last = find('c');
  end[1]!();
  assert.deepEqual(await Promise.all(later), ['a2', 'b2', undefined, 'b2']);
  await Promise.resolve();
  end[2]!();
  assert.equal(await last, 'c3');
  assert.deepEqual(asked, [['a'], ['a', 'b', 'none'], ['c']]);
});

test('a read that fails fails only those who waited for it', async () => {
  let reads = 0;
  const find = createCombinedReads((keys) =>
    ++reads === 1
      ? Promise.reject(new Error('away'))
      : Promise.resolve(new Map(keys.map((key) => [key, key]))),
  );
  const [first, second] = await Promise.allSettled([find('a'), find('b')]);
  assert.equal(first!.status, 'rejected');
  assert.deepEqual(second, { status: 'fulfilled', value: 'b' });
});
