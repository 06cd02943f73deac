import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import ipaddr from 'ipaddr.js';
import type { EgressPolicy } from './addresses.ts';
import { checkUrl } from './checkUrl.ts';

const strict: EgressPolicy = { allowedCidrs: [], allowHttp: false, allowLoopback: false };
const withHttp: EgressPolicy = { ...strict, allowHttp: true };
const trial: EgressPolicy = { ...strict, allowLoopback: true };
const inOffice: EgressPolicy = { ...withHttp, allowedCidrs: [ipaddr.parseCIDR('10.1.0.0/16')] };

function check(policy: EgressPolicy, fault: RegExp | null, urls: string[]): void {
  for (const url of urls) {
    test(url, () => {
      const found = checkUrl(url, policy);
      if (fault) assert.match(found ?? 'nothing is wrong', fault);
      else assert.equal(found, null);
    });
  }
}

describe('a URL on the public internet is accepted', () => {
  check(strict, null, [
    'https://example.com',
    'https://example.com:8443/hook?a=b#c',
    'https://not-there-yet.example/',
    'https://1.1.1.1/',
    'https://[2606:4700::1111]/',
    'https://localhost.example.com',
    'HTTPS://EXAMPLE.COM',
  ]);
});

describe('anything but a web address is refused', () => {
  check(strict, /such as https/, [
    '',
    'example.com',
    'https://',
    'https://a b/',
    'https://a:99999/',
    'https://1.2.3.256',
  ]);
  check(withHttp, /start with https/, [
    'ftp://example.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'unix:/x',
  ]);
});

describe('http is refused unless it is allowed', () => {
  check(strict, /EGRESS_ALLOW_HTTP/, [
    'http://example.com',
    'http://localhost:3000',
    'http://127.0.0.1:3000',
  ]);
  check(withHttp, null, ['http://example.com', 'http://1.1.1.1:8080/x']);
});

describe('credentials and port 0 are refused', () => {
  check(strict, /user name/, [
    'https://user@example.com',
    'https://:secret@example.com',
    'https://u:p@1.1.1.1',
  ]);
  check(strict, /port 0/, ['https://example.com:0/']);
});

describe('a forbidden address is refused in any notation', () => {
  check(withHttp, /EGRESS_ALLOWED_CIDRS/, [
    'http://127.0.0.1',
    'http://2130706433',
    'http://0x7f.1',
    'http://0177.0.0.1',
    'http://127.1',
    'http://0/',
    'http://127.0.0.1./',
    'http://%31%32%37.0.0.1',
    'http://１２７.0.0.1',
    'http://0.0.0.0',
    'http://[::]',
    'http://[::1]:80',
    'http://[::ffff:127.0.0.1]',
    'http://[0:0:0:0:0:ffff:7f00:1]',
    'http://[::127.0.0.1]',
    'http://localhost',
    'http://LOCALHOST:8080',
    'http://localhost.',
    'http://a.localhost',
    'http://localhost.localdomain',
    'http://10.0.0.1',
    'http://[fd00::1]',
    'http://100.64.0.1',
    'http://[64:ff9b::a00:1]',
    'http://[2002:a00:1::]',
  ]);
  check(inOffice, /serves cloud credentials/, [
    'http://169.254.169.254/latest/meta-data',
    'http://[fd00:ec2::254]',
    'http://0xa9fea9fe',
  ]);
});

describe('an allowed range is accepted', () => {
  check(inOffice, null, ['http://10.1.2.3:3000/', 'https://10.1.255.255', 'http://[::ffff:a01:203]/']);
  check(inOffice, /EGRESS_ALLOWED_CIDRS/, ['http://10.2.0.1', 'http://localhost']);
});

describe('in a trial, receivers on this machine are accepted over http too, and no others', () => {
  check(trial, null, ['http://localhost:3000/', 'http://127.0.0.1', 'http://[::1]:9', 'https://a.localhost']);
  check(trial, /EGRESS_ALLOW_HTTP/, ['http://example.com', 'http://10.0.0.1', 'http://0.0.0.0']);
  check(trial, /EGRESS_ALLOWED_CIDRS/, ['https://10.0.0.1', 'https://0.0.0.0']);
});
