import { readFileSync } from 'node:fs';

/** An installed package has compiled files and its own command. A clone runs its TypeScript. */
const isInstalled = !import.meta.url.endsWith('.ts');

/** What to type before a command. */
export const commandPrefix = isInstalled ? 'runcost' : 'npm run -s runcost --';

export const startCommand = isInstalled ? 'runcost serve' : 'npm start';

const packageJson = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
export const { version } = JSON.parse(packageJson) as { version: string };
