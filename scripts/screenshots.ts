/** `npm run screenshots`: takes the README's screenshots of the demo, light and dark. */
import { join } from 'node:path';
import { test } from 'node:test';
import { openDashboard, waitUntilLoaded } from '../test/harness/dashboard.ts';

const folder = join(import.meta.dirname, '../docs/images');

// This is a test, because the harness closes the server and the browser at the end of a test.
test('screenshots', async () => {
  const { address, ask, owner, newPage, signIn } = await openDashboard({ draws: true });
  const alert = { name: 'CI budget', alert_type: 'budget', threshold_amount: 5_000 };
  await ask(`alerts?org_id=${owner.orgId}`, alert);
  for (const dark of [false, true]) {
    const page = await newPage({ width: 1_280, height: 960, dark });
    await signIn(page);
    // Hides the notice about a copied data folder, because the harness copies one.
    await page.route('**/api/v1/session', async (route) => {
      const response = await route.fetch();
      const { data } = (await response.json()) as { data: object };
      await route.fulfill({ response, json: { data: { ...data, hold: null } } });
    });
    await page.goto(address);
    await waitUntilLoaded(page);
    const path = join(folder, `overview-${dark ? 'dark' : 'light'}.png`);
    await page.screenshot({ path, animations: 'disabled' });
  }
});
