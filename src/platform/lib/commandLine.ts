import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** An installed package has compiled files and its own command. A clone runs its TypeScript. */
const isInstalled = !import.meta.url.endsWith('.ts');

/** What to type before a command. */
export const commandPrefix = isInstalled ? 'runcost' : 'npm run -s runcost --';

export const startCommand = isInstalled ? 'runcost serve' : 'npm start';

const packageJson = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
export const { version } = JSON.parse(packageJson) as { version: string };

export function localAddress(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** What to type before a command for the server of a data folder. */
export function commandLine({ dataDir, port }: { dataDir: string; port: number }): string {
  const ownPort = port === 8080 || port === 0 ? [] : [`PORT=${port}`];
  return [...ownDataDir(dataDir), ...ownPort, commandPrefix].join(' ');
}

export function startLine(dataDir: string): string {
  return [...ownDataDir(dataDir), startCommand].join(' ');
}

function ownDataDir(dataDir: string): string[] {
  return dataDir === resolve('./data') ? [] : [`DATA_DIR=${quoted(dataDir)}`];
}

function quoted(text: string): string {
  return /^[\w./@%+:,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
