/** The dashboard over the API in `ops/`: each of its queries is sent to a server, with the token that the guide asks for. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadDemo } from '../src/demo/load.ts';
import { cliActor } from '../src/platform/lib/actor.ts';
import { request, startTestApp } from './harness/app.ts';

type Column = { selector: string; text: string; type: 'number' | 'string' };
type Query = {
  url: string;
  url_options: { method: string; params: { key: string; value: string }[] };
  root_selector: string;
  columns: Column[];
};
type Panel = {
  title: string;
  targets: Query[];
  fieldConfig: { overrides: { matcher: { options: string } }[] };
  transformations?: { id: string; options: Record<string, unknown> }[];
};
type Variable = { name: string; query: { infinityQuery: Query } };

const text = readFileSync(join(import.meta.dirname, '../ops/grafana-costs.json'), 'utf8');
const { panels, templating } = JSON.parse(text) as { panels: Panel[]; templating: { list: Variable[] } };

const testApp = await startTestApp();
const organization = await testApp.newOrganization();
const ctx = { ...testApp.app, actor: cliActor(organization.orgId) };
await loadDemo(testApp.app, ctx, { days: 90, runs: 300, seed: 1 });
const budget = { name: 'CI', alert_type: 'budget', threshold_amount: 5 };
await organization.send('POST', `/api/v1/alerts?org_id=${organization.orgId}`, budget);
const token = await organization.newToken('viewer', ['costs:read', 'alerts:read']);
const { body: document } = await request(testApp.server, { method: 'GET', url: '/openapi.json' });

/** The values that Grafana inserts for its variables. */
const variables: Record<string, string> = {
  '${__from:date:YYYY-MM-DD}': '2026-02-17',
  '${__to:date:YYYY-MM-DD}': '2026-03-18',
};

/** Reads a selector like the data source: numbers are array indexes. */
const find = (value: unknown, selector: string): unknown =>
  selector.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | null)?.[key], value);

async function rowsOf({ url, url_options: { method, params }, root_selector: root }: Query) {
  assert.equal(method, 'GET');
  const known = document.paths[url].get.parameters?.map(({ name }: { name: string }) => name) ?? [];
  for (const { key } of params) assert.ok(known.includes(key), `${url} has no parameter ${key}`);
  const filled = params.map(({ key, value }): [string, string] => [key, variables[value] ?? value]);
  const headers = { authorization: `Bearer ${token}` };
  const query = Object.fromEntries(filled);
  const { status, body } = await request(testApp.server, { method: 'GET', url, query, headers });
  assert.equal(status, 200, `${url} ${JSON.stringify(body)}`);
  return [find(body, root)].flat();
}

function assertColumns(rows: unknown[], { url, columns }: Query): void {
  for (const { selector, type } of columns) {
    const values = rows.map((row) => find(row, selector)).filter((value) => (value ?? null) !== null);
    assert.ok(values.length > 0, `${url} answers no ${selector}`);
    assert.ok(
      values.every((value) => typeof value === type),
      `${url} ${selector}`,
    );
  }
}

test('the variable of the organization has its name and id', async () => {
  const query = templating.list.find(({ name }) => name === 'org_id')!.query.infinityQuery;
  const [row] = await rowsOf(query);
  assertColumns([row], query);
  const id = query.columns.find(({ text: name }) => name === '__value')!.selector;
  assert.equal(find(row, id), organization.orgId);
  variables['${org_id}'] = organization.orgId;
});

for (const { title, targets, fieldConfig, transformations = [] } of panels) {
  test(`the panel ${title} has data in each of its columns`, async () => {
    for (const query of targets) assertColumns(await rowsOf(query), query);
    const names = targets.map(({ columns }) => columns.map(({ text: name }) => name));
    for (const { matcher } of fieldConfig.overrides) assert.ok(names.flat().includes(matcher.options));
    const fields = JSON.stringify(transformations).matchAll(
      /"(?:byField|\w+Field|fieldName|field)":"(\w+)"/g,
    );
    for (const [, field] of fields) assert.ok(names.flat().includes(field!), field);
    // The field that joins the two queries.
    if (targets.length > 1) assert.ok(names.every((each) => each.includes('Id')));
  });
}

test('the figures of the dashboard are those that were asked for', () => {
  const titles = panels.map(({ title }) => title);
  for (const subject of [/Month to date/, /Forecast/, /Daily cost by repo/, /Top work/, /Budgets/, /waste/])
    assert.ok(
      titles.some((title) => subject.test(title)),
      subject.source,
    );
});
