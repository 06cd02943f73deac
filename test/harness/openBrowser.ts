import type { Browser } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { shared } from './shared.ts';

/** The browser of this process. Each test file opens its own contexts. */
export function openBrowser({ draws }: { draws: boolean }): Promise<Browser> {
  return shared(draws ? 'drawing browser' : 'browser', () => launchBrowser({ draws }));
}
