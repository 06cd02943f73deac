import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainError } from './plainError.ts';

test('errors of the network are in words, and name their host once', () => {
  for (const [text, words] of [
    ['getaddrinfo ENOTFOUND example.com', 'could not find example.com'],
    ['s3.example.com: getaddrinfo ENOTFOUND s3.example.com', 'could not find s3.example.com'],
    ['proxy: getaddrinfo EAI_AGAIN s3.example.com.', 'proxy: could not find s3.example.com.'],
    [
      'Active, but the last attempt failed: connect ECONNREFUSED 127.0.0.1:9.',
      'Active, but the last attempt failed: 127.0.0.1:9 refused the connection.',
    ],
    ['connect ETIMEDOUT 10.0.0.1:443', '10.0.0.1:443 did not answer'],
    ['ECONNREFUSED', 'ECONNREFUSED'],
    ['HTTP 503', 'HTTP 503'],
    ['answered 503', 'HTTP 503'],
    ['Active, but the last attempt failed: answered 503.', 'Active, but the last attempt failed: HTTP 503.'],
    ['GitHub answered 502', 'GitHub answered 502'],
  ] as const)
    assert.equal(plainError(text), words);
});
