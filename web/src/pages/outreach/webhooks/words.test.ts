import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  adviceFor,
  arrivedInWords,
  arrivedFraction,
  errorInWords,
  lastErrorInWords,
  milliseconds,
} from './words.ts';

const at = '2026-03-05T10:00:00.000Z';
const answered = (code: number) =>
  adviceFor({ error_class: 'http_status', message: `answered ${code}`, response_code: code, at });
const failedBy = (error_class: string | null) =>
  adviceFor({ error_class, message: null, response_code: null, at });

test('times use milliseconds or seconds', () => {
  assert.deepEqual([0, 84, 999, 1_000, 1_234, 30_000].map(milliseconds), [
    '0 ms',
    '84 ms',
    '999 ms',
    '1 s',
    '1.23 s',
    '30 s',
  ]);
});

test('the advice depends on the response code', () => {
  assert.match(answered(302), /redirects are not followed/);
  assert.match(answered(401), /signatures/);
  assert.equal(answered(403), answered(401));
  assert.match(answered(404), /correct the URL/);
  assert.match(answered(422), /rejects/);
  assert.match(answered(429), /fewer requests/);
  assert.match(answered(500), /its own log/);
  assert.equal(answered(599), answered(500));
});

test('without a response, the advice depends on the error', () => {
  assert.match(failedBy('timeout'), /30 seconds/);
  assert.match(failedBy('dns'), /resolve/);
  assert.match(failedBy('connect'), /firewall/);
  assert.match(failedBy('tls'), /certificate/);
  assert.match(failedBy(null), /each attempt/);
  assert.equal(failedBy('of_a_later_version'), failedBy(null));
});

test('an error shows its message, else the meaning of its class, else the class name', () => {
  assert.equal(
    lastErrorInWords({ error_class: 'connect', message: 'ECONNREFUSED', response_code: null, at }),
    'ECONNREFUSED',
  );
  assert.equal(
    lastErrorInWords({ error_class: 'timeout', message: null, response_code: null, at }),
    errorInWords('timeout'),
  );
  assert.equal(errorInWords('of_a_later_version'), 'of a later version');
});

test('of the deliveries that ended, a share arrived', () => {
  assert.equal(arrivedFraction(['success', 'failed', 'success', 'success', 'pending', 'held']), 0.75);
  assert.equal(arrivedFraction(['pending']), null);
  assert.deepEqual([['success', 'failed', 'success'], ['pending'], []].map(arrivedInWords), [
    '66% arrived',
    'none ended',
    '–',
  ]);
});
