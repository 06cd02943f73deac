import { after } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from './browser.ts';

export async function openBrowser(): Promise<Browser> {
  const browser = await launchBrowser();
  after(() => browser.close());
  return browser;
}
