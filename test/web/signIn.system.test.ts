import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDashboard, waitForFont, waitUntilLoaded } from '../harness/dashboard.ts';
import { startIssuer } from '../harness/issuer.ts';

const { address, owner, newPage, signIn, ask, assertNoConsoleErrors, consoleErrors } = await openDashboard();
const issuer = await startIssuer([address], 'localhost');
issuer.accounts.set('ada', { email: 'ada@acme.test', email_verified: true, name: 'Ada', groups: ['ci=x'] });
issuer.accounts.set('eve', { email: 'eve@evil.test', email_verified: true });

/** Until the policy is known, it is disabled. */
const required = { name: 'Members sign in by a provider only', disabled: false };

test('the sign-in page helps where its other ways do not load, and tries again', async () => {
  const page = await newPage();
  await page.route('**/api/v1/sign-in-options*', (route) => route.fulfill({ status: 429, json: {} }));
  await page.goto(`${address}/sign-in`);
  await page.getByText('Other ways to sign in failed to load.').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Other ways to sign in failed to load.').waitFor({ state: 'detached' });
  await page.getByText('No token, or a link that no longer works?').click();
  await page.getByText(/ sign-in$/).waitFor();
  await page.context().close();
  consoleErrors.splice(0); // The refusal.
});

test('the sign-in page sends a signed-in visitor to the overview', async () => {
  const page = await newPage();
  await signIn(page);
  await page.goto(`${address}/sign-in`);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/');
  await page.context().close();
});

test('what cannot be a token is not sent, and its error moves nothing', async () => {
  const page = await newPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
  await page.goto(`${address}/sign-in`);
  await waitUntilLoaded(page);
  const button = page.getByRole('button', { name: 'Sign in', exact: true });
  const { y } = (await button.boundingBox())!;
  await page.getByLabel('Token', { exact: true }).fill('hello world');
  await button.click();
  await page.getByText('A token starts with runcost_ and has about 100 characters.').waitFor();
  assert.equal((await button.boundingBox())!.y, y);
  await page.getByLabel('Token', { exact: true }).fill(`${address}/sign-in#code=runcost_code_x`);
  await button.click();
  await page.getByText('This is a sign-in link.').waitFor();
  assert.equal((await button.boundingBox())!.y, y);
  assert.deepEqual(
    asked.filter((each) => each.endsWith('/api/v1/session')),
    [],
  );
  await page.context().close();
  assertNoConsoleErrors();
});

test('an owner adds a provider in Settings', async () => {
  const page = await newPage();
  // At another host, the addresses are still those that the server sends to providers.
  const elsewhere = address.replace('127.0.0.1', 'localhost');
  await page.context().request.post(`${elsewhere}/api/v1/session`, {
    data: { token: owner.token },
    headers: { origin: elsewhere },
  });
  await page.goto(`${elsewhere}/settings/single-sign-on`);
  const shown = page.getByRole('textbox', { name: 'Sign-in redirect URI' });
  assert.equal(await shown.inputValue(), `${address}/sign-in/callback/${owner.orgId}`);
  await signIn(page);
  await page.goto(`${address}/settings/single-sign-on`);
  const redirect = `${address}/sign-in/callback/${owner.orgId}`;
  for (const [title, label] of [
    ['GitHub', 'Authorization callback URL'],
    ['Okta', 'Sign-in redirect URI'],
  ] as const) {
    await page.getByRole('radio', { name: title }).check({ force: true });
    await page.getByRole('heading', { name: `Register Runcost in ${title}` }).waitFor();
    assert.equal(await page.getByRole('textbox', { name: label }).inputValue(), redirect);
  }
  await page.getByRole('button', { name: 'Add provider' }).click();
  const form = page.getByRole('dialog');
  assert.equal(await form.getByLabel('Name').inputValue(), 'Okta');
  await form.getByLabel('Name').fill('Acme');
  await form.getByLabel('Issuer').fill(`${issuer.address}/wrong`);
  await form.getByLabel('Client ID').fill(issuer.client.client_id);
  await form.getByLabel('Client secret').fill(issuer.client.client_secret);
  await form.getByLabel('Allowed email domains').fill('acme.test');
  await form.getByLabel('Roles of groups').fill('ci=x = admin');
  await form.getByRole('button', { name: 'Add provider' }).click();
  await form.getByText('does not answer as an OpenID Connect issuer').waitFor();
  consoleErrors.splice(0);
  await form.getByLabel('Issuer').fill(issuer.address);
  await form.getByRole('button', { name: 'Add provider' }).click();
  await page.getByText('Anyone at acme.test, as viewer').waitFor();
  const [provider] = await ask<{ data: { group_roles: object[] }[] }>('identity-providers').then(
    ({ data }) => data,
  );
  assert.deepEqual(provider!.group_roles, [{ group: 'ci=x', role: 'admin' }]);
  await page.getByRole('switch', required).press('Space');
  await page.getByText('Sign in by the provider yourself first').waitFor();
  consoleErrors.splice(0);
});

test('the button of the drawn form stays where it is when its other ways come', async () => {
  const page = await newPage();
  const asked = Promise.withResolvers<void>();
  await page.route('**/api/v1/sign-in-options*', async (route) => {
    await asked.promise;
    await route.continue();
  });
  await page.goto(`${address}/sign-in`);
  await waitForFont(page);
  const place = () => page.getByRole('button', { name: 'Sign in', exact: true }).boundingBox();
  const before = await place();
  asked.resolve();
  await page.getByRole('link', { name: 'Continue with Acme' }).waitFor();
  assert.deepEqual(await place(), before);
  await page.context().close();
  assertNoConsoleErrors();
});

test('a person signs in at the provider, comes to the page they wanted, and signs out there too', async () => {
  const page = await newPage();
  await page.goto(`${address}/workflows?days=7`);
  await page.getByRole('link', { name: 'Continue with Acme' }).click();
  await page.getByRole('link', { name: 'Continue as ada' }).click();
  await page.getByRole('heading', { name: 'Workflows' }).waitFor();
  assert.equal(page.url(), `${address}/workflows?days=7`);
  const account = page.getByRole('button', { name: /account menu/ });
  assert.match(await account.innerText(), /Ada · admin/);
  await page.goto(`${address}/settings/single-sign-on`);
  await waitUntilLoaded(page);
  await page.getByRole('switch', required).press('Space');
  await page.getByText('Saved.').waitFor();
  await account.click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL(`${issuer.address}/session/end**`);
  await page.locator('button[value=yes]').click();
  await page.waitForURL(`${address}/sign-in**`);
  await page.getByText('This organization requires single sign-on').waitFor();
  assert.deepEqual(
    consoleErrors.splice(0).filter((error) => error.startsWith(address)),
    [],
  );
});

test('a stranger gets a page that says what to do', async () => {
  const page = await newPage();
  await page.goto(`${address}/sign-in`);
  await page.getByRole('link', { name: 'Continue with Acme' }).click();
  await page.getByRole('link', { name: 'Continue as eve' }).click();
  await page.getByRole('heading', { name: 'You were not signed in' }).waitFor();
  await page
    .getByText('eve@evil.test is not a member of this organization. Ask an admin to add you.')
    .waitFor();
  await page.getByRole('link', { name: 'Back to the sign-in page' }).click();
  await page.getByRole('heading', { name: 'Sign in to Runcost' }).waitFor();
  consoleErrors.splice(0);
});
