import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { checkUrl, isLoopback, refusalOf, type EgressPolicy } from './addresses.ts';

const strict: EgressPolicy = { allowedCidrs: [], allowHttp: false, allowLoopback: false };
const allowing = (...cidrs: string[]): EgressPolicy => ({
  ...strict,
  allowedCidrs: cidrs.map((cidr) => ipaddr.parseCIDR(cidr)),
});
const everything = allowing('0.0.0.0/0', '::/0');
const metadata = [
  '169.254.169.254',
  '169.254.170.2',
  '::ffff:169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '2002:a9fe:a9fe::',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fd00:42::42',
  'fe80::a9fe:a9fe',
  'fe80::a9fe:a9fe%eth0',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
];

describe('an address is refused', () => {
  const inRange: [string, string[]][] = [
    ['of this machine', ['127.0.0.1', '127.255.0.9', '::1', '0.0.0.0', '0.1.2.3', '::']],
    [
      'in IPv6 form for this machine',
      ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:0:127.0.0.1', '::127.0.0.1'],
    ],
    [
      'of a private network',
      ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fd00::1', 'fc00::1'],
    ],
    ['of a carrier or a link', ['100.64.0.1', '100.127.255.255', '169.254.1.1', 'fe80::1', 'fec0::1']],
    ['for documents and benchmarks', ['192.0.2.1', '198.51.100.7', '203.0.113.9', '198.18.0.1']],
    ['for documents in IPv6', ['2001:db8::1', '3fff::1', '2001:2::1']],
    ['of nobody', ['240.0.0.1', '255.255.255.255', '224.0.0.1', 'ff02::1', '4000::1', '5f00::1', '100::1']],
    ['behind NAT64', ['64:ff9b::10.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::8.8.8.8']],
    ['behind a tunnel', ['2002:7f00:1::', '2002:a00:1::1', '2002:c0a8:101::5', '2001::1']],
    ['where clouds keep credentials', metadata],
    ['that is none', ['', 'localhost', '1.2.3', '1.2.3.4.5', '::g']],
  ];
  for (const [kind, addresses] of inRange) {
    for (const address of addresses) {
      test(`${kind}: ${address}`, () => assert.notEqual(refusalOf(address, strict), null));
    }
  }

  test('in a text that names the setting that can allow it', () => {
    const expected = '10.0.0.1 is not a public address (EGRESS_ALLOWED_CIDRS can allow it)';
    assert.equal(refusalOf('10.0.0.1', strict), expected);
  });
});

describe('an address is called', () => {
  const addresses = [
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '100.128.0.1',
    '169.253.0.1',
    '126.0.0.1',
    '2606:4700::1111',
    '2a00:1450:4001::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
  ];
  for (const address of addresses) {
    test(`on the public internet: ${address}`, () => assert.equal(refusalOf(address, strict), null));
  }

  test('inside an allowed range, in any notation', () => {
    const policy = allowing('10.1.0.0/16', 'fd12::/16');
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::10.1.2.3', 'fd12::1']) {
      assert.equal(refusalOf(address, policy), null, address);
    }
    for (const address of ['10.2.0.1', 'fd13::1', '127.0.0.1']) {
      assert.notEqual(refusalOf(address, policy), null, address);
    }
  });

  test('on this machine in a trial, and nothing else', () => {
    const trial = { ...strict, allowLoopback: true };
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) {
      assert.equal(refusalOf(address, trial), null, address);
    }
    for (const address of ['10.0.0.1', '0.0.0.0', '::', '169.254.169.254', 'fd00::1']) {
      assert.notEqual(refusalOf(address, trial), null, address);
    }
  });
});

test("a cloud's credentials are out of reach even if everything is allowed", () => {
  for (const address of metadata)
    assert.match(refusalOf(address, everything) ?? '', /serves cloud credentials/, address);
  assert.equal(refusalOf('10.0.0.1', everything), null);
  assert.equal(refusalOf('fd00::1', everything), null);
});

describe("a URL with the name of a cloud's metadata service is refused, however it is written", () => {
  check(everything, /^must not point there: [\w.-]+ serves cloud credentials and is never called$/, [
    'https://metadata.google.internal/computeMetadata/v1/',
    'https://METADATA.Google.Internal./x',
    'https://metadata.google.internal../x',
    'https://metadata%2Egoogle%2Einternal/',
    'https://metadata。google。internal/',
    'https://metadata.goog',
    'https://metadata/',
    'https://instance-data.ec2.internal:8443/latest/meta-data/',
    'https://instance-data.eu-west-1.compute.internal/',
    'https://api.metadata.cloud.ibm.com',
    'https://metadata.tencentyun.com',
  ]);
  check(strict, null, ['https://metadata.google.internal.acme.com/', 'https://my-metadata.goog/']);
});

test('an IPv4 address gives the same answer in each of its IPv6 forms', () => {
  const byte = fc.integer({ min: 0, max: 255 });
  const policies = fc.constantFrom(strict, { ...strict, allowLoopback: true }, allowing('10.0.0.0/8'));
  const first = fc.oneof(byte, fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203));
  fc.assert(
    fc.property(policies, first, byte, byte, byte, (policy, ...octets) => {
      const hex = Buffer.from(octets)
        .toString('hex')
        .replace(/^(....)/, '$1:');
      const isRefused = refusalOf(octets.join('.'), policy) !== null;
      for (const form of [`::ffff:${hex}`, `::ffff:0:${hex}`, `64:ff9b::${hex}`, `2002:${hex}::1`]) {
        assert.equal(refusalOf(form, policy) !== null, isRefused, form);
      }
    }),
  );
});

test("only this machine's addresses are loopback", () => {
  assert.deepEqual(['127.0.0.1', '::1', '::ffff:127.0.0.1'].map(isLoopback), [true, true, true]);
  assert.deepEqual(['0.0.0.0', '10.0.0.1', 'localhost', ''].map(isLoopback), [false, false, false, false]);
});

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
