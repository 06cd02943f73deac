import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';

test('a switch accepts the usual words, and no others', () => {
  const expected: [word: string, value: boolean][] = [
    ...['true', '1', 'yes', 'on', 'TRUE', 'Yes', 'oN', ' 1 '].map(
      (word) => [word, true] as [string, boolean],
    ),
    ...['false', '0', 'no', 'off', 'False', 'OFF', ''].map((word) => [word, false] as [string, boolean]),
  ];
  for (const [word, value] of expected) {
    assert.equal(readConfig({ EGRESS_ALLOW_HTTP: word }).egress.allowHttp, value, word);
  }
  for (const word of ['2', 'y', 'enabled', 'constructor', '-1']) {
    const fault = new RegExp(`EGRESS_ALLOW_HTTP must be true or false .*, not ${word}$`);
    assert.throws(() => readConfig({ EGRESS_ALLOW_HTTP: word }), fault);
  }
});
