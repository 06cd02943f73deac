import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readClientSettings, webAddressRule } from '../config.ts';
import { commandPrefix, startLine } from '../platform/lib/commandLine.ts';
import { findRunningServers } from '../platform/lib/runningServers.ts';
import { oneToken, webAddress } from '../platform/lib/settingTexts.ts';
import { CommandError } from './faults.ts';

/** The server that a command asks, and as whom. */
export type Target = { url: string; token: string; orgId: string | null };
export type TargetOptions = { url?: string; token?: string; context?: string; org?: string };

/** A server to which somebody signed in by `runcost login`. */
export type StoredContext = { url: string; token: string; org_id: string; org_name: string };
export type Contexts = { current: string | null; contexts: Record<string, StoredContext> };

const none: Contexts = { current: null, contexts: {} };

function contextsFile(): string {
  return join(readClientSettings().configDir, 'contexts.json');
}

export function readContexts(): Contexts {
  const file = contextsFile();
  try {
    return { ...none, ...(JSON.parse(readFileSync(file, 'utf8')) as Contexts) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return none;
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

export function writeContexts(contexts: Contexts): void {
  const file = contextsFile();
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}

/** The servers to try in order. Only those of the data folder can be more than one. */
export function findTargets(options: TargetOptions): [Target, ...Target[]] {
  const settings = readClientSettings();
  const orgId = options.org ?? settings.org;
  const url = readUrl(options) ?? (options.context === undefined ? settings.url : null);
  if (url !== null) return [{ url, token: options.token ?? settings.token ?? storedToken(url), orgId }];
  const { current, contexts } = readContexts();
  // A token without an address is one of the server of this machine.
  const name =
    settings.token !== null && options.context === undefined
      ? null
      : (options.context ?? settings.context ?? current);
  if (name !== null) {
    const found = contexts[name];
    if (!found)
      throw new CommandError(`There is no context ${name}. See: ${commandPrefix} context list`, 'usage');
    return [{ url: found.url, token: found.token, orgId: orgId ?? found.org_id }];
  }
  const [first, ...others] = findRunningServers(settings.dataDir).map((each) => ({
    ...each,
    ...(settings.token !== null && { token: settings.token }),
    orgId,
  }));
  if (first) return [first, ...others];
  throw new CommandError(
    `No server runs with the data folder ${settings.dataDir}. Start it: ${startLine(settings.dataDir)}. ` +
      `For a server elsewhere: ${commandPrefix} login --url https://runcost.example.com, or RUNCOST_URL and RUNCOST_TOKEN.`,
    'away',
  );
}

function readUrl({ url: given, token }: TargetOptions): string | null {
  if (token !== undefined && oneToken(token) === null)
    throw new CommandError('--token must be one word of ASCII letters, digits and signs', 'usage');
  if (given === undefined) return null;
  const url = webAddress(given);
  if (url !== null) return url;
  throw new CommandError(`--url must be ${webAddressRule}`, 'usage');
}

function storedToken(url: string): string {
  const found = Object.values(readContexts().contexts).find((each) => each.url === url);
  if (found) return found.token;
  throw new CommandError(
    `RUNCOST_TOKEN is required for ${url}. Or sign in: ${commandPrefix} login --url ${url}`,
    'forbidden',
  );
}
