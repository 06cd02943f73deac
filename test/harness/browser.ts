import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import chromiumOfNpm from '@sparticuz/chromium';
import { chromium, type Browser } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The Chromium of this machine, else the one that the development dependencies bring. */
export async function launchBrowser(): Promise<Browser> {
  const installed = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((file) => existsSync(file));
  return chromium.launch({
    executablePath: installed ?? (await chromiumOfNpm.executablePath()),
    // As root there is no sandbox; the pages are our own.
    args: installed ? ['--no-sandbox'] : [...chromiumOfNpm.args, '--no-sandbox'],
  });
}
