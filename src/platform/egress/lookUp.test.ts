import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLookup } from './lookUp.ts';

const refused = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
const fromSystem = [{ address: '10.0.0.7', family: 4 }];
const system = () => Promise.resolve(fromSystem);
const never = () => new Promise<never>(() => {});

test('a name has all the addresses that DNS knows', async () => {
  const lookup = createLookup({
    resolve4: () => Promise.resolve(['192.0.2.1']),
    resolve6: () => Promise.resolve(['2001:db8::1']),
    system: never,
  });
  assert.deepEqual(await lookup('hooks.example.com'), [
    { address: '192.0.2.1', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ]);
  const only4 = createLookup({
    resolve4: () => Promise.resolve(['192.0.2.1']),
    resolve6: refused('ENODATA'),
    system,
  });
  assert.deepEqual(await only4('hooks.example.com'), [{ address: '192.0.2.1', family: 4 }]);
});

test('what DNS does not know is asked of the system, and so are names of this network', async () => {
  const lookup = createLookup({ resolve4: refused('ENOTFOUND'), resolve6: refused('ENOTFOUND'), system });
  assert.deepEqual(await lookup('in.the.hosts.file'), fromSystem);
  const withoutDns = createLookup({ resolve4: never, resolve6: never, system });
  for (const name of ['localhost', 'receiver', 'printer.local', 'a.localhost']) {
    assert.deepEqual(await withoutDns(name), fromSystem);
  }
});

test('a silent name server is not asked again in one of the threads of all', async () => {
  const lookup = createLookup({
    resolve4: refused('ETIMEOUT'),
    resolve6: refused('ETIMEOUT'),
    system: never,
  });
  await assert.rejects(lookup('slow.example'), { code: 'ETIMEOUT' });
});

test('one name is looked up once at a time, and anew afterwards', async () => {
  let asked = 0;
  const resolve4 = () => Promise.resolve([`192.0.2.${++asked}`]);
  const lookup = createLookup({ resolve4, resolve6: refused('ENODATA'), system });
  const [first, second] = await Promise.all([lookup('a.example'), lookup('a.example')]);
  assert.deepEqual([first, asked], [second, 1]);
  assert.deepEqual(await lookup('a.example'), [{ address: '192.0.2.2', family: 4 }]);
});
