import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { usageColumns } from '../providers/circleci/readUsage.ts';
import { readUsageFile } from './recordUsage.ts';

test('a file that unpacks to too much is refused', async () => {
  const file = gzipSync(`${usageColumns.join()}\n${'a,b,c,d,e\n'.repeat(1_000)}`);
  const read = async (maxBytes: number) => {
    let others = 0;
    for await (const batch of readUsageFile(file, new Date(), maxBytes)) others += batch.others;
    return others;
  };
  assert.equal(await read(20_000), 1_000);
  await assert.rejects(read(5_000), { code: 'unreadable_usage', message: /too large\. Start again/ });
});
