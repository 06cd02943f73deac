import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type ClientSettings, readClientSettings, webAddressRule } from '../config.ts';
import { commandPrefix, startLine } from '../platform/lib/commandLine.ts';
import { findRunningServers } from '../platform/lib/runningServers.ts';
import { oneToken, webAddress } from '../platform/lib/settingTexts.ts';
import { CommandError } from './faults.ts';

/** The server that a command asks, and as whom. */
export type Target = { url: string; token: string; orgId: string | null };
export type TargetOptions = { url?: string; token?: string; context?: string; org?: string };

/** A server to which somebody signed in by `runcost login`. */
export type StoredContext = {
  url: string;
  token: string;
  org_id: string;
  org_name: string;
  /** Whether `login` made the token, so that `logout` revokes it. */
  is_own?: boolean;
};
export type Contexts = { current: string | null; contexts: Record<string, StoredContext> };

const none: Contexts = { current: null, contexts: {} };

function contextsFile(): string {
  return join(readClientSettings().configDir, 'contexts.json');
}

export function readContexts(): Contexts {
  const file = contextsFile();
  try {
    const { current = null, contexts } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Contexts>;
    const whole = Object.entries(contexts ?? {}).filter(([, each]) => oneToken(each?.token ?? '') !== null);
    return { current, contexts: Object.fromEntries(whole) };
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
  if (url !== null) return [{ url, token: options.token ?? tokenFor(url, settings), orgId }];
  const { current, contexts } = readContexts();
  // DATA_DIR, or a token without an address, mean the server of this machine.
  const isLocal = settings.hasDataDir || settings.token !== null;
  const name = options.context ?? settings.context ?? (isLocal ? null : current);
  if (name !== null) {
    const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
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
  if (!canRead(join(settings.dataDir, 'servers')))
    throw new CommandError(
      `Only the user of the data folder ${settings.dataDir} can be its server's operator.`,
      'forbidden',
    );
  throw new CommandError(
    `No server runs with the data folder ${settings.dataDir}. Start it: ${startLine(settings.dataDir)}. ` +
      `For a server elsewhere: ${commandPrefix} login --url https://runcost.example.com, or RUNCOST_URL and RUNCOST_TOKEN.`,
    'away',
  );
}

/** A folder that does not exist hides nothing. */
function canRead(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EACCES';
  }
}

function readUrl({ url: given, token }: TargetOptions): string | null {
  if (token !== undefined && oneToken(token) === null)
    throw new CommandError('--token must be one word of ASCII letters, digits and signs', 'usage');
  if (given === undefined) return null;
  const url = webAddress(given);
  if (url !== null) return url;
  throw new CommandError(`--url must be ${webAddressRule}`, 'usage');
}

/** The token of the settings is for the server of the settings. */
function tokenFor(url: string, settings: ClientSettings): string {
  const isTheirs = settings.url === null || settings.url === url;
  return (isTheirs ? settings.token : null) ?? storedToken(url);
}

function storedToken(url: string): string {
  const found = Object.values(readContexts().contexts).find((each) => each.url === url);
  if (found) return found.token;
  throw new CommandError(
    `RUNCOST_TOKEN is required for ${url}. Or sign in: ${commandPrefix} login --url ${url}`,
    'forbidden',
  );
}
