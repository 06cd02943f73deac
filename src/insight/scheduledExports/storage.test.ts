import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openObjectStorage } from '../../../test/harness/objectStorage.ts';
import { createEgress } from '../../platform/egress/egress.ts';
import { cidrs } from '../../platform/lib/settingTexts.ts';
import { openStorage } from './storage.ts';

test('a bucket in the host is asked and signed there', async () => {
  const storage = await openObjectStorage();
  const looks: string[] = [];
  const egress = createEgress(
    { allowedCidrs: cidrs('127.0.0.1/32')!, allowHttp: true, allowLoopback: true },
    { lookup: async (name) => (looks.push(name), [{ address: '127.0.0.1', family: 4 }]) },
  );
  after(() => egress.close());
  storage.secret = 'hidden-key';
  const endpoint = storage.endpoint.replace('127.0.0.1', 'storage.example');
  const { put } = openStorage(
    { egress, clock: { now: () => new Date('2026-03-18T12:00:00Z') } },
    {
      endpoint,
      region: 'eu-central-1',
      bucket: 'costs',
      prefix: '',
      pathStyle: false,
      accessKeyId: 'ours',
      secretAccessKey: 'hidden-key',
    },
  );
  await put('ci/a b.csv', Buffer.from('a,b'), 'text/csv');
  assert.deepEqual(looks, ['costs.storage.example']);
  assert.deepEqual([...storage.files.keys()], ['ci/a b.csv'], 'without the bucket in its path');
  storage.secret = 'another';
  await assert.rejects(put('a.csv', Buffer.from(''), 'text/csv'), /SignatureDoesNotMatch/);
});
