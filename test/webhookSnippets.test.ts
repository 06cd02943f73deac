import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Value } from 'typebox/value';
import { eventTypes } from '../src/events/eventTypes.ts';
import { signedHeaders } from '../src/outreach/webhooks/signing.ts';

const root = join(import.meta.dirname, '..');
const pages = ['docs/how-to/receive-webhooks.md', 'docs/reference/webhooks.md'];
const docs = pages.map((page) => readFileSync(join(root, page), 'utf8')).join('\n');
const folder = mkdtempSync(join(tmpdir(), 'runcost-snippets-'));
after(() => rmSync(folder, { recursive: true, force: true }));
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));

type Headers = Record<string, string>;
type Case = { name: string; body: Buffer; headers: Headers; secret: string; accepted: boolean };

function snippet(heading: string): string {
  const [, section] = docs.split(`\n### ${heading}\n`);
  const code = /^```\w+\n(.*?)^```$/ms.exec(section ?? '')?.[1];
  assert.ok(code, `${pages.join(' or ')} has code under ${heading}`);
  return code;
}

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const secret = newSecret();
const body = Buffer.from(
  '{"id":"evt_1","event":"webhook.ping","data":{"name":"Überlauf 🚨 $(id) `id` %s"}}\n',
);

type Signing = { current?: string; next?: string | null; secondsAgo?: number };

function headersBy({ current = secret, next = null, secondsAgo = 0 }: Signing = {}): Headers {
  return signedHeaders({
    deliveryId: 'del_1',
    eventId: 'evt_1',
    event: 'webhook.ping',
    attempt: 1,
    body,
    secrets: { current, next },
    now: new Date(Date.now() - secondsAgo * 1_000),
  });
}

/** Cases for all snippets. */
const cases = ((): Case[] => {
  const headers = headersBy();
  const own = 'a secret of our own, with ümläuts';
  const changed = (name: string, change: (value: string) => string): Headers => ({
    ...headers,
    [name]: change(headers[name]!),
  });
  const good = { body, headers, secret, accepted: true };
  const bad = { ...good, accepted: false };
  const otherByte = (value: string) => value.replace(/.(?=.{8}$)/, (digit) => (digit === '0' ? '1' : '0'));
  return [
    { ...good, name: 'the right one' },
    { ...good, name: 'a secret of our own', headers: headersBy({ current: own }), secret: own },
    { ...good, name: 'the old secret of two', headers: headersBy({ next: newSecret() }) },
    { ...bad, name: 'a changed body', body: Buffer.from(body.toString().replace('ping', 'pong')) },
    { ...bad, name: 'a longer body', body: Buffer.concat([body, Buffer.from('\n')]) },
    { ...bad, name: 'another secret', secret: newSecret() },
    { ...bad, name: 'another secret of our own', secret: own },
    { ...bad, name: 'a changed signature', headers: changed('webhook-signature', otherByte) },
    { ...bad, name: 'half a signature', headers: changed('webhook-signature', (text) => text.slice(0, 20)) },
    { ...bad, name: 'more than a signature', headers: changed('webhook-signature', (text) => `${text}A`) },
    { ...bad, name: 'no signature', headers: changed('webhook-signature', () => '') },
    { ...bad, name: 'only the version', headers: changed('webhook-signature', () => 'v1,') },
  ];
})();

/** More cases for the headers of Standard Webhooks. */
const standardCases = ((): Case[] => {
  const current = newSecret();
  const by = (signing: Signing, accepted: boolean) => ({
    body,
    headers: headersBy(signing),
    secret,
    accepted,
  });
  const good = by({}, true);
  const bad = { ...good, accepted: false };
  return [
    { ...by({ current, next: secret }, true), name: 'the new secret of two' },
    { ...by({ secondsAgo: 240 }, true), name: 'one of four minutes ago' },
    { ...by({ secondsAgo: 360 }, false), name: 'one of six minutes ago' },
    { ...by({ secondsAgo: -360 }, false), name: 'one of six minutes ahead' },
    { ...bad, name: 'another id', headers: { ...good.headers, 'webhook-id': 'evt_2' } },
    { ...bad, name: 'no time', headers: { ...good.headers, 'webhook-timestamp': '' } },
    { ...bad, name: 'no such time', headers: { ...good.headers, 'webhook-timestamp': 'x' } },
  ];
})();
const allCases = [...cases, ...standardCases];

/** Applies the changes made to `webhook-signature` to the other header. */
const plainCases = cases.map((each) => {
  const isSignature = each.name.includes('signature') || each.name === 'only the version';
  const own = each.headers['x-service-signature']!;
  if (!isSignature) return each;
  const values: Record<string, string> = {
    'a changed signature': own.replace(/.(?=.{8}$)/, (digit) => (digit === '0' ? '1' : '0')),
    'half a signature': own.slice(0, 20),
    'more than a signature': `${own}0`,
    'no signature': '',
    'only the version': 'sha256=',
  };
  return { ...each, headers: { ...each.headers, 'x-service-signature': values[each.name]! } };
});

function assertVerdicts(verdicts: boolean[], expected: readonly Case[]): void {
  const named = (accepted: (index: number) => boolean) =>
    expected.map(({ name }, index) => `${name}: ${accepted(index) ? 'accepted' : 'refused'}`);
  assert.deepEqual(
    named((index) => verdicts[index]!),
    named((index) => expected[index]!.accepted),
  );
}

for (const { name, schema, example } of eventTypes) {
  test(`the example of ${name} matches its schema and has every field`, () => {
    const shown = JSON.parse(snippet(name));
    assert.ok(Value.Check(schema, shown));
    assert.deepEqual(shapeOf(shown), shapeOf(example));
  });
}

/** The names of all fields, also nested ones. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]));
}

const nodeCrypto = write('nodeCrypto.ts', snippet('TypeScript, with node:crypto'));
const library = write('library.ts', snippet('TypeScript, with the standardwebhooks library'));
const plain = write('plain.ts', snippet('X-Service-Signature'));

test('the TypeScript snippet with node:crypto accepts what we sign, and nothing else', async () => {
  const { isGenuine } = await import(nodeCrypto);
  assertVerdicts(
    allCases.map((each) => isGenuine(each.body, each.headers, each.secret)),
    allCases,
  );
});

test('the TypeScript snippet with the standardwebhooks library accepts what we sign, and nothing else', async () => {
  const { readEvent } = await import(library);
  const accepts = (each: Case) => {
    try {
      assert.deepEqual(readEvent(each.body, each.headers, each.secret), JSON.parse(body.toString()));
      return true;
    } catch (error) {
      assert.equal((error as Error).name, 'WebhookVerificationError');
      return false;
    }
  };
  assertVerdicts(allCases.map(accepts), allCases);
});

test('the snippet for X-Service-Signature accepts what we sign, and nothing else', async () => {
  const { isSigned } = await import(plain);
  assertVerdicts(
    plainCases.map((each) => isSigned(each.body, each.headers['x-service-signature'], each.secret)),
    plainCases,
  );
});

test('the TypeScript snippets type-check', () => {
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--target', 'esnext'];
  const tsc = join(root, 'node_modules/typescript/lib/tsc.js');
  const files = [nodeCrypto, library, plain];
  const { stdout, status } = run(process.execPath, [tsc, ...options, '--types', 'node', ...files]);
  assert.equal(stdout, '');
  assert.equal(status, 0);
});

function run(command: string, args: string[], input = '', env: Record<string, string> = {}) {
  return spawnSync(command, args, { cwd: folder, input, encoding: 'utf8', env: { ...process.env, ...env } });
}

function isThere(command: string, ...args: string[]): boolean {
  return spawnSync(command, args).status === 0;
}

/** Runs a program in another language. It reads all cases as JSON and prints those it accepts. */
function acceptedBy(command: string, args: string[], env: Record<string, string> = {}): boolean[] {
  const forms = allCases.map((each) => ({ ...each, body: each.body.toString('base64') }));
  const { stdout, stderr, status } = run(command, args, JSON.stringify(forms), env);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

test('the Python snippet accepts what we sign, and nothing else', (t) => {
  if (!isThere('python3', '--version')) return t.diagnostic('python3 is not on this machine');
  write('snippet.py', snippet('Python'));
  const driver = write(
    'driver.py',
    `
import base64, json, sys
from snippet import is_genuine
cases = json.load(sys.stdin)
json.dump([is_genuine(base64.b64decode(c["body"]), c["headers"], c["secret"]) for c in cases], sys.stdout)
`,
  );
  assertVerdicts(acceptedBy('python3', ['-B', driver]), allCases);
});

test('the Go snippet accepts what we sign, and nothing else', (t) => {
  if (!isThere('go', 'version')) return t.diagnostic('go is not on this machine');
  write('go.mod', 'module snippets\n\ngo 1.20\n');
  write('snippet.go', snippet('Go').replace('package webhooks', 'package main'));
  write(
    'main.go',
    `package main

import (
	"encoding/json"
	"net/http"
	"os"
)

func main() {
	var cases []struct {
		Body    []byte
		Headers map[string]string
		Secret  string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	verdicts := []bool{}
	for _, each := range cases {
		header := http.Header{}
		for name, value := range each.Headers {
			header.Set(name, value)
		}
		verdicts = append(verdicts, IsGenuine(each.Body, header, each.Secret))
	}
	json.NewEncoder(os.Stdout).Encode(verdicts)
}
`,
  );
  const offline = { GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '-mod=mod' };
  assertVerdicts(acceptedBy('go', ['run', 'main.go', 'snippet.go'], offline), allCases);
});

test('the shell snippet accepts what we sign, and nothing else', (t) => {
  if (!isThere('openssl', 'version')) return t.skip('openssl is not on this machine');
  const script = write('verify.sh', snippet('Shell'));
  const verdicts = allCases.map((each) => {
    const file = write('body.json', '');
    writeFileSync(file, each.body);
    const { status, stdout, stderr } = run('sh', [script, file], '', {
      SECRET: each.secret,
      WEBHOOK_ID: each.headers['webhook-id']!,
      WEBHOOK_TIMESTAMP: each.headers['webhook-timestamp']!,
      WEBHOOK_SIGNATURE: each.headers['webhook-signature']!,
    });
    assert.deepEqual([stdout, stderr], ['', ''], each.name);
    return status === 0;
  });
  assertVerdicts(verdicts, allCases);
});
