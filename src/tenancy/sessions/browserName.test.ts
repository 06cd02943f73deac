import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserName } from './browserName.ts';

test('a browser is named in few words by its User-Agent', () => {
  const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  for (const [userAgent, expected] of [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Linux'],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/142.0.0.0 Safari/537.36`,
      'Chrome on Windows',
    ],
    [`Mozilla/5.0 (Windows NT 10.0) ${webKit} Chrome/142.0.0.0 Safari/537.36 Edg/142.0`, 'Edge on Windows'],
    [`Mozilla/5.0 (Linux; Android 15) ${webKit} Chrome/142.0 Mobile Safari/537.36`, 'Chrome on Android'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605 Version/18 Safari/605',
      'Safari on macOS',
    ],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) FxiOS/145.0 Safari/605', 'Firefox on iOS'],
    ['curl/8.5.0', 'curl/8.5.0'],
    [`${'x'.repeat(150)} Linux`, 'x'.repeat(40)],
    ['  ', null],
    [null, null],
  ] as const)
    assert.equal(browserName(userAgent), expected);
});
