import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDashboard } from '../harness/dashboard.ts';
import { startFakeGitHub } from '../harness/gitHubApi.ts';
import { usageItem } from '../harness/gitHubBills.ts';

const fake = await startFakeGitHub();
const dashboard = await openDashboard({ environment: { GITHUB_API_URL: fake.url } });
const { address, ask, newPage, owner, signIn } = dashboard;

test('offers the owner of the repositories, shows what GitHub refuses, and then the bill', async () => {
  const { data: source } = await ask('sources', { kind: 'github', name: 'Acme' });
  const set = await fetch(`${address}/api/v1/sources/${source['id']}/credentials`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'token', token: fake.token }),
  });
  assert.equal(set.status, 200);
  const page = await newPage();
  await signIn(page);
  await page.goto(`${address}/bill`);
  fake.interruptions.push({ status: 403, message: 'Resource not accessible by personal access token' });
  await page.getByRole('button', { name: /^Connect (?!an)/ }).click();
  await page.getByText(/needs the organization permission "Administration: read", approved/).waitFor();
  const { data } = await ask<{ data: { accounts: { login: string }[] } }>('bills/accounts');
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  // On the first day of a month, the plan's history no longer has the first day of the oldest month.
  const month = (back: number) => {
    const [year, number] = yesterday.split('-').map(Number) as [number, number];
    return new Date(Date.UTC(year, number - 1 - back, 15)).toISOString();
  };
  const older = Array.from({ length: 11 }, (_, index) => usageItem({ date: month(index + 1) }));
  const items = [usageItem({ date: `${yesterday}T00:00:00Z` }), ...older];
  fake.bills.items.set(`organizations/${data.accounts[0]!.login}`, items);
  await page.getByRole('button', { name: 'Fetch now' }).click();
  await page.getByText(/^Organization · fetched .*, until/).waitFor();
  const newest = new Date(yesterday).toLocaleDateString('en-US', { month: 'short', timeZone: 'UTC' });
  await page.getByRole('tab', { name: newest, selected: true }).first().waitFor();
  assert.equal(await page.getByRole('tab', { name: /20\d\d/ }).count(), 12);
  dashboard.assertNoConsoleErrors();
});
