import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCombinedReads, createCoalescer } from './coalesce.ts';

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
  const coalesce = createCoalescer<number>();
  const first = coalesce('a', read);
  state.value = 2;
  const later = [coalesce('a', read), coalesce('a', read), coalesce('a', read)];
  assert.equal(state.begun, 1);
  state.end[0]!();
  assert.equal(await first, 1);
  await Promise.resolve();
  assert.equal(state.begun, 2);
  state.value = 3;
  const last = coalesce('a', read);
  state.end[1]!();
  assert.deepEqual(await Promise.all(later), [2, 2, 2]);
  state.end[2]!();
  assert.equal(await last, 3);
  assert.equal(state.begun, 3);
});

test('different keys do not wait for each other', async () => {
  const { state, read } = slowRead();
  const coalesce = createCoalescer<number>();
  const both = [coalesce('a', read), coalesce('b', read)];
  assert.equal(state.begun, 2);
  for (const end of state.end) end();
  await Promise.all(both);
});

test('a failed read fails its own callers, and the next ones read again', async () => {
  const coalesce = createCoalescer<number>();
  const failing = coalesce('a', () => Promise.reject(new Error('away')));
  const after = coalesce('a', async () => 7);
  await assert.rejects(failing, /away/);
  assert.equal(await after, 7);
  assert.equal(await coalesce('a', async () => 8), 8);
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
