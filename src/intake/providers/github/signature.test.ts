import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { signGitHub } from '../../../../test/payloads/gitHub.ts';
import { verifyGitHubSignature } from './provider.ts';

const secret = "It's a Secret to Everybody";
const body = Buffer.from('Hello, World!');
const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
const secrets = fc.string({ minLength: 1, maxLength: 80, unit: 'binary' });

function withFlippedBit(original: Buffer, position: number): Buffer {
  const changed = Buffer.from(original);
  const bit = position % (original.length * 8);
  changed[bit >> 3]! ^= 1 << (bit & 7);
  return changed;
}

test("accepts GitHub's documented example", () => {
  assert.equal(verifyGitHubSignature(body, signature, secret), true);
});

test('accepts what was signed, for any bytes', () => {
  fc.assert(
    fc.property(bytes, secrets, (raw, key) => {
      assert.equal(verifyGitHubSignature(raw, signGitHub(raw, key), key), true);
    }),
  );
});

test('rejects a flipped bit in the body', () => {
  fc.assert(
    fc.property(bytes, secrets, fc.nat(), (raw, key, position) => {
      fc.pre(raw.length > 0);
      assert.equal(verifyGitHubSignature(withFlippedBit(raw, position), signGitHub(raw, key), key), false);
    }),
  );
});

test('rejects every flipped bit in the signature', () => {
  const digest = Buffer.from(signature.slice('sha256='.length), 'hex');
  for (let position = 0; position < digest.length * 8; position++) {
    const header = `sha256=${withFlippedBit(digest, position).toString('hex')}`;
    assert.equal(verifyGitHubSignature(body, header, secret), false, `bit ${position}`);
  }
});

test('rejects another secret', () => {
  assert.equal(verifyGitHubSignature(body, signature, `${secret}!`), false);
});

test('an empty secret accepts nothing, not even its own signature', () => {
  assert.equal(verifyGitHubSignature(body, signGitHub(body, ''), ''), false);
});

test('rejects a body that was parsed and written again', () => {
  const raw = Buffer.from('{ "a": 1.0 }');
  const rewritten = Buffer.from(JSON.stringify(JSON.parse(raw.toString())));
  assert.equal(verifyGitHubSignature(rewritten, signGitHub(raw, secret), secret), false);
});

const hex = signature.slice('sha256='.length);
const malformed: [string, string | undefined][] = [
  ['no header', undefined],
  ['an empty header', ''],
  ['no digest', 'sha256='],
  ['no algorithm', hex],
  ['SHA-1', 'sha1=757107ea0eb2509fc211221cce984b8a37570b6d'],
  ['SHA-1 with a long digest', `sha1=${hex}`],
  ['a digest cut short', signature.slice(0, -1)],
  ['a digest too long', `${signature}0`],
  ['a letter that is not hexadecimal', `${signature.slice(0, -1)}g`],
  ['capital letters', `sha256=${hex.toUpperCase()}`],
  ['a space before', ` ${signature}`],
  ['a line break after', `${signature}\n`],
  ['two signatures', `${signature}, ${signature}`],
];

for (const [what, header] of malformed) {
  test(`rejects a malformed header: ${what}`, () => {
    assert.equal(verifyGitHubSignature(body, header, secret), false);
  });
}

test('no header throws', () => {
  const headers = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^sha256=.*$/));
  fc.assert(
    fc.property(bytes, headers, secrets, (raw, header, key) => {
      assert.equal(verifyGitHubSignature(raw, header, key), false);
    }),
  );
});
