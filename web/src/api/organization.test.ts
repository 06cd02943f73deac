import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressIn, nameInAddresses, withOrganization, withoutOrganization } from './organization.ts';

test('an address names its organization, and pages read it without', () => {
  for (const [address, expected, search] of [
    ['/', '/?org=acme', ''],
    ['/waste?days=7', '/waste?days=7&org=acme', '?days=7'],
    ['/bill?#part', '/bill?org=acme#part', ''],
    ['/explore?a=%21x#y', '/explore?a=%21x&org=acme#y', '?a=%21x'],
  ] as const) {
    assert.equal(addressIn(address, 'acme'), expected);
    assert.equal(withoutOrganization(new URL(expected, 'http://x').search), search);
  }
  assert.equal(addressIn('/?org=beta&days=7', 'acme'), '/?org=beta&days=7');
  assert.equal(withoutOrganization('?org=beta&days=7'), '?days=7');
  assert.equal(withoutOrganization('org=beta'), '');
  assert.equal(withoutOrganization('days=7&org=beta&x=1'), 'days=7&x=1');
  assert.equal(addressIn('/', 'a&b'), '/?org=a%26b');
});

test('addresses of people with one organization name none, and those of no page neither', () => {
  assert.equal(withOrganization('/waste'), '/waste');
  nameInAddresses('acme');
  assert.equal(withOrganization('/waste'), '/waste?org=acme');
  for (const other of ['/docs', 'https://github.com/acme', '#part']) {
    assert.equal(withOrganization(other), other);
  }
  nameInAddresses(null);
});
