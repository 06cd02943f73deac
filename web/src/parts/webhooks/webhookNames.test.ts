import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOf, tabTitleOf } from './webhookNames.ts';

test('a webhook without a name is named by its address, with the scheme where it is not https', () => {
  const unnamed = (url: string) => ({ name: null, url });
  assert.equal(nameOf(unnamed('https://example.com/hooks/costs')), 'example.com/hooks/costs');
  assert.equal(nameOf(unnamed('https://example.com/')), 'example.com');
  assert.equal(nameOf(unnamed('http://10.0.0.1:9/a?b=c')), 'http://10.0.0.1:9/a?b=c');
  assert.equal(tabTitleOf(unnamed('http://10.0.0.1:9/secret?b=c')), '10.0.0.1:9');
  const named = { name: 'Chargeback', url: 'https://example.com/secret' };
  assert.deepEqual([nameOf(named), tabTitleOf(named)], ['Chargeback', 'Chargeback']);
});
