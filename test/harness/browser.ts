import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { inflate } from '@sparticuz/chromium';
import { chromium, type Browser } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const macOsApps = ['Google Chrome', 'Chromium'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
);

/**
 * Launches the Chromium that TEST_CHROMIUM names, else the one of the development dependencies, so that what is installed
 * changes no result. Where they have none, as on macOS, it launches an installed one. Without `draws` it lays out pages and
 * runs frames but skips painting, so it cannot take screenshots.
 */
export async function launchBrowser({ draws = true }: { draws?: boolean } = {}): Promise<Browser> {
  const named = process.env['TEST_CHROMIUM'] ?? (hasOwn ? undefined : findInstalled());
  const args = [
    '--no-sandbox', // Chromium has no sandbox for root. The pages are our own.
    // A page lives for seconds, so optimized compilation on more threads would cost a sixth more than it gains.
    '--js-flags=--single-threaded --no-turbofan',
  ];
  if (!draws) args.push('--blink-settings=acceleratedCompositingEnabled=false');
  if (named) return chromium.launch({ executablePath: named, args });
  const folder = await unpackChromium();
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args, // The package's default flags disable web security, such as the header `Origin`.
    // A slim system has neither NSS nor fonts. The package has both.
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  });
}

const hasOwn = process.platform === 'linux' && process.arch === 'x64';

function findInstalled(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return [...folders.flatMap((path) => names.map((name) => join(path, name))), ...macOsApps].find((file) =>
    existsSync(file),
  );
}

const dependencies = join(import.meta.dirname, '../../node_modules');

/** Test files may unpack at the same time, so the folder is renamed once it is complete. */
async function unpackChromium(): Promise<string> {
  if (!hasOwn) {
    throw new Error('The browser tests need Chromium or Google Chrome: install one of them.');
  }
  const chromiumPackage = join(dependencies, '@sparticuz/chromium');
  const { version } = JSON.parse(await readFile(join(chromiumPackage, 'package.json'), 'utf8'));
  const cache = join(dependencies, '.cache');
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(`${folder}-`);
  try {
    await inflateInto(draft, join(chromiumPackage, 'bin'));
    const fonts = `<fontconfig><dir>${join(folder, 'fonts')}</dir><cachedir>${join(folder, 'fonts-cache')}</cachedir></fontconfig>`;
    await writeFile(join(draft, 'fonts.conf'), fonts);
    await rename(draft, folder).catch((error: NodeJS.ErrnoException) => {
      if (!['ENOTEMPTY', 'EEXIST'].includes(error.code!)) throw error; // Another test file was first.
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}

/** `inflate` writes only to the temporary folder. */
async function inflateInto(folder: string, archives: string): Promise<void> {
  const { TMPDIR } = process.env;
  process.env['TMPDIR'] = folder;
  try {
    const files = ['chromium.br', 'fonts.tar.br', 'swiftshader.tar.br', 'al2023.tar.br'];
    await Promise.all(files.map((file) => inflate(join(archives, file))));
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  }
}
