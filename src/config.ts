import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { plans } from './platform/lib/actor.ts';
import { readDatabaseUrl } from './platform/lib/databaseUrl.ts';
import { minRetentionDays } from './platform/lib/days.ts';
import {
  cidrs,
  daysByPlan,
  isLoopback,
  keys,
  mailAddress,
  onOrOff,
  oneToken,
  proxyRanges,
  senderAddress,
  webAddress,
  webOrigins,
  wholeNumber,
  type Cidr,
  type DaysByPlan,
} from './platform/lib/settingTexts.ts';
import {
  readSignInSettings,
  signInSettingTexts,
  type SignInSettings,
} from './platform/lib/signInSettings.ts';
import { readTracingSettings, type TracingSettings } from './platform/telemetry/tracing.ts';

/** What a command needs that asks a server. */
export type ClientSettings = {
  url: string | null;
  token: string | null;
  org: string | null;
  /** The name of a server that `runcost login` stored. */
  context: string | null;
  /** Where a person's programs keep their settings. */
  configDir: string;
  timeoutSeconds: number;
  dataDir: string;
  /** Whether DATA_DIR names it: then its server comes before those of `runcost login`. */
  hasDataDir: boolean;
  /** For `backfill github`; null means the credentials of a source. */
  gitHubToken: string | null;
  /** For `connect gitlab`. */
  gitLabToken: string | null;
  /** For `scheduled-export create` and `update`. */
  storageSecretKey: string | null;
};

export type Config = {
  port: number;
  host: string;
  dataDir: string;
  /** A PostgreSQL server; null means our own PostgreSQL in `dataDir`. */
  databaseUrl: string | null;
  /** Folder of the programs that run our own PostgreSQL; null for those that Runcost brings. */
  postgresBin: string | null;
  postgresMemoryMegabytes: number;
  /** Database connections of the API. Background work has four more, and probes one. */
  databasePool: number;
  /** Public address of this server without a trailing slash; null means the address it listens on. */
  publicUrl: string | null;
  /** Limit for all request bodies in progress; null means a part of Node's heap limit. */
  bodyBytes: number | null;
  trustedProxies: string[];
  corsOrigins: string[];
  logLevel: LogLevel;
  /** 32 bytes each, former keys last. If empty, the first start generates a key in the data folder. */
  encryptionKeys: Buffer[];
  /** Requests per minute and token. 0 turns the limit off; null uses the plan's limit. */
  rateLimit: number | null;
  /** Mail server and sender; null means that no mail is sent. */
  smtp: { url: string; from: string } | null;
  /** Where messages and webhooks may go besides https on the public internet. */
  egress: {
    allowedCidrs: Cidr[];
    allowHttp: boolean;
    /** For a trial on one machine: receivers on it may use http, until a request comes through a proxy. */
    allowLoopback: boolean;
  };
  webhookConcurrency: number;
  /** The longest that each plan keeps runs, in days. A plan without an entry keeps them forever. */
  retentionDays: DaysByPlan;
  /** Where runs and jobs are written before retention removes them; null means nowhere. */
  retentionExportDir: string | null;
  /** Seconds from the stop signal until the server accepts no more requests. */
  drainSeconds: number;
  /** Address of GitHub's API without a trailing slash. A GitHub Enterprise Server has its own. */
  gitHubApiUrl: string;
  circleCiApiUrl: string;
  /** For `audit`. */
  gitHubToken: string | null;
  /** The token for /metrics; null means that nobody may read them. */
  metricsToken: string | null;
  signIn: SignInSettings;
  /** Null unless OpenTelemetry's own variables ask for traces. */
  tracing: TracingSettings | null;
};

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
type LogLevel = (typeof logLevels)[number];

export const settings = [
  ['PORT', '8080', 'port to serve on; 0 picks a free one'],
  ['HOST', '127.0.0.1', 'address to serve on; 0.0.0.0 for all'],
  ['DATA_DIR', './data', "folder of Runcost's own PostgreSQL and the generated key"],
  ['DATABASE_URL', '', 'PostgreSQL 15 or newer, instead of its own'],
  ['POSTGRES_BIN', '', "folder of an installed PostgreSQL's programs, 15 or newer, to run its own with"],
  ['POSTGRES_MEMORY_MB', '64', 'megabytes of data that its own PostgreSQL keeps in memory (shared_buffers)'],
  ['DATABASE_POOL', '10', 'connections for requests; background work and probes use five more'],
  [
    'BODY_MEMORY_MB',
    "1/32 of Node's heap limit",
    'megabytes of request bodies in work at once; others get 503',
  ],
  ['PUBLIC_URL', 'http://HOST:PORT', 'public address of this server'],
  ['TRUSTED_PROXIES', '', 'addresses of proxies whose X-Forwarded-For counts: 127.0.0.1,10.1.0.0/16,…'],
  ['CORS_ORIGINS', '', 'origins of other sites whose pages may call the API: https://tools.acme.com,…'],
  ['LOG_LEVEL', 'info', logLevels.join(', ')],
  [
    'ENCRYPTION_KEY',
    '',
    'key of stored secrets, 32 bytes in base64 or hex; default: generated in DATA_DIR; NEW,OLD replaces it',
  ],
  ['RATE_LIMIT', "the plan's", 'requests per minute and token; 0 for no limit'],
  ['SMTP_URL', '', 'mail server for alerts: smtp://user:password@host:587, or smtps://'],
  ['EMAIL_FROM', '', 'sender of alert mail; required with SMTP_URL'],
  [
    'EGRESS_ALLOWED_CIDRS',
    '',
    'private ranges that Slack, Teams, Discord and webhooks may use: 10.1.0.0/16,…',
  ],
  ['EGRESS_ALLOW_HTTP', 'false', 'whether they may use http://'],
  ['WEBHOOK_CONCURRENCY', '256', 'concurrent webhook deliveries'],
  [
    'RETENTION_DAYS',
    '',
    'days for which runs and jobs are kept at most, 90 or more: 400, or by plan: free=90,pro=400; if empty, forever',
  ],
  ['RETENTION_EXPORT_DIR', '', 'folder to which runs and jobs are written before retention removes them'],
  [
    'DRAIN_SECONDS',
    '0',
    'seconds to go on accepting requests after a signal to stop, while /readyz says 503',
  ],
  [
    'GITHUB_API_URL',
    'https://api.github.com',
    'GitHub API for backfills; https://HOST/api/v3 for an Enterprise Server',
  ],
  ['CIRCLECI_API_URL', 'https://circleci.com/api/v2', 'CircleCI API for usage data'],
  [
    'GITHUB_TOKEN',
    '',
    "token for `audit` and `backfill github`; --source uses a source's credentials instead",
  ],
  ['GH_TOKEN', '', 'the same, where GITHUB_TOKEN is not set'],
  ['GITLAB_TOKEN', '', 'token for `connect gitlab`'],
  ['STORAGE_SECRET_KEY', '', 'secret key for `scheduled-export create` and `update`'],
  ['RUNCOST_URL', '', 'server that commands ask; without it, that of `login` or of DATA_DIR'],
  ['RUNCOST_TOKEN', '', 'token of an organization there'],
  ['RUNCOST_CONTEXT', '', 'name of a server of `login`'],
  ['RUNCOST_ORG', '', 'id of the organization of commands without `--org`'],
  ['RUNCOST_TIMEOUT', '120', 'seconds that commands wait for an answer'],
  [
    'METRICS_TOKEN',
    '',
    'token with which Prometheus reads /metrics, 16 characters or more; without it nobody can',
  ],
  ...signInSettingTexts,
  [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    '',
    "OpenTelemetry collector for traces, http://host:4318; OpenTelemetry's other variables work too",
  ],
] as const;

export class ConfigError extends Error {
  constructor(faults: string[]) {
    super(`Some settings are not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

export const webAddressRule = 'an http:// or https:// address without user, password, query or #';

type Environment = Record<string, string | undefined>;

/** For PostgreSQL and its helpers: our own environment has secrets, and PostgreSQL reads variables of its own. */
export function programEnvironment(given: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', ...given };
}

/** The environment for a program that we start. */
export function environmentWith(given: Record<string, string>): Environment {
  return { ...process.env, ...given };
}

export function readClientSettings(environment: Environment = process.env): ClientSettings {
  const faults: string[] = [];
  const read = createRead(environment, faults);
  const text = (name: string, expected: string) =>
    read<string | null>(name, null, (given) => given, expected);
  const found = {
    url: read<string | null>('RUNCOST_URL', null, webAddress, webAddressRule),
    token: readToken(read, 'RUNCOST_TOKEN'),
    org: text('RUNCOST_ORG', 'the id of an organization'),
    context: text('RUNCOST_CONTEXT', 'the name of a context'),
    configDir: join(text('XDG_CONFIG_HOME', 'a folder') ?? join(homedir(), '.config'), 'runcost'),
    timeoutSeconds: read(
      'RUNCOST_TIMEOUT',
      120,
      (given) => wholeNumber(given, 86_400) || null,
      'a number of seconds from 1 to 86,400',
    ),
    dataDir: resolve(read('DATA_DIR', './data', (given) => given, 'a folder')),
    hasDataDir: Boolean(environment['DATA_DIR']?.trim()),
    gitHubToken: readGitHubToken(read),
    gitLabToken: readToken(read, 'GITLAB_TOKEN'),
    storageSecretKey: readToken(read, 'STORAGE_SECRET_KEY'),
  };
  if (faults.length > 0) throw new ConfigError(faults);
  return found;
}

export function readConfig(environment: Environment = process.env): Config {
  const faults: string[] = [];
  const read = createRead(environment, faults);
  const port = read('PORT', 8080, (text) => wholeNumber(text, 65_535), 'a port number from 0 to 65535');
  const host = read('HOST', '127.0.0.1', (text) => text, 'an address');
  const publicUrl = read<string | null>('PUBLIC_URL', null, webAddress, webAddressRule);
  const config: Config = {
    port,
    host,
    ...readDatabase(read),
    bodyBytes: read<number | null>(
      'BODY_MEMORY_MB',
      null,
      (text) => (wholeNumber(text, 100_000) || 0) * 1024 * 1024 || null,
      'a whole number of megabytes from 1',
    ),
    publicUrl,
    trustedProxies: read<string[]>(
      'TRUSTED_PROXIES',
      [],
      proxyRanges,
      'addresses or ranges such as 10.1.0.0/16, separated by commas',
    ),
    corsOrigins: read<string[]>(
      'CORS_ORIGINS',
      [],
      webOrigins,
      'origins such as https://tools.acme.com, without a path, separated by commas',
    ),
    logLevel: read<LogLevel>('LOG_LEVEL', 'info', logLevel, `one of ${logLevels.join(', ')}`),
    encryptionKeys: read<Buffer[]>(
      'ENCRYPTION_KEY',
      [],
      keys,
      '32 bytes in base64 or hex (openssl rand -base64 32), or several, separated by commas',
    ),
    rateLimit: read<number | null>(
      'RATE_LIMIT',
      null,
      (text) => wholeNumber(text, 1e9),
      'a whole number, 0 for no limit',
    ),
    smtp: readSmtp(environment, read, faults),
    egress: readEgress(read, host, publicUrl),
    webhookConcurrency: read(
      'WEBHOOK_CONCURRENCY',
      256,
      (text) => wholeNumber(text, 1_000) || null,
      'a whole number from 1 to 1000',
    ),
    retentionDays: readRetentionDays(read),
    retentionExportDir: readFolder(read, 'RETENTION_EXPORT_DIR'),
    drainSeconds: read('DRAIN_SECONDS', 0, (text) => wholeNumber(text, 300), 'a whole number up to 300'),
    gitHubApiUrl: read('GITHUB_API_URL', 'https://api.github.com', webAddress, webAddressRule),
    circleCiApiUrl: read('CIRCLECI_API_URL', 'https://circleci.com/api/v2', webAddress, webAddressRule),
    gitHubToken: readGitHubToken(read),
    metricsToken: readMetricsToken(read),
    signIn: readSignInSettings(read, faults),
    tracing: readTracingSettings(read),
  };
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

type Read = <T>(name: string, fallback: T, parse: (text: string) => T | null, expected: string) => T;

function createRead(environment: Environment, faults: string[]): Read {
  return (name, fallback, parse, expected) => {
    const text = environment[name]?.trim();
    if (!text) return fallback;
    const value = parse(text);
    const isHidden = isSecret(name) || hasPassword(text);
    if (value === null) faults.push(`${name} must be ${expected}${isHidden ? '' : `, not ${text}`}`);
    return value ?? fallback;
  };
}

type DatabaseSettings =
  | 'dataDir'
  | 'databaseUrl'
  | 'databasePool'
  | 'postgresBin'
  | 'postgresMemoryMegabytes';

function readDatabase(read: Read): Pick<Config, DatabaseSettings> {
  return {
    dataDir: resolve(read('DATA_DIR', './data', (text) => text, 'a folder')),
    databaseUrl: read<string | null>(
      'DATABASE_URL',
      null,
      (text) => readDatabaseUrl(text) && text,
      'postgres://user:password@host/database, or with several hosts: host1,host2',
    ),
    postgresBin: readFolder(read, 'POSTGRES_BIN'),
    postgresMemoryMegabytes: read(
      'POSTGRES_MEMORY_MB',
      64,
      (text) => (Number(text) >= 8 ? wholeNumber(text, 100_000) : null),
      'a whole number of megabytes from 8',
    ),
    databasePool: read(
      'DATABASE_POOL',
      10,
      (text) => wholeNumber(text, 1_000) || null,
      'a whole number from 1 to 1000',
    ),
  };
}

function readEgress(read: Read, host: string, publicUrl: string | null): Config['egress'] {
  return {
    allowedCidrs: read<Cidr[]>(
      'EGRESS_ALLOWED_CIDRS',
      [],
      cidrs,
      'ranges such as 10.1.0.0/16, separated by commas',
    ),
    allowHttp: read('EGRESS_ALLOW_HTTP', false, onOrOff, 'true or false (or 1/0, yes/no, on/off)'),
    allowLoopback:
      isLoopback(host) && (publicUrl === null || isLoopback(URL.parse(publicUrl)?.hostname ?? '')),
  };
}

function readFolder(read: Read, name: string): string | null {
  return read<string | null>(name, null, (text) => resolve(text), 'a folder');
}

function readRetentionDays(read: Read): DaysByPlan {
  const expected = `a whole number of days from ${minRetentionDays}, or by plan: ${plans.map((plan) => `${plan}=400`).join(',')}`;
  return read<DaysByPlan>('RETENTION_DAYS', {}, daysByPlan, expected);
}

function readToken(read: Read, name: string): string | null {
  return read<string | null>(name, null, oneToken, 'one word of ASCII letters, digits and signs');
}

function readGitHubToken(read: Read): string | null {
  return readToken(read, 'GITHUB_TOKEN') ?? readToken(read, 'GH_TOKEN');
}

function readMetricsToken(read: Read): string | null {
  const form = 'one word of 16 ASCII letters, digits and signs or more';
  return read<string | null>(
    'METRICS_TOKEN',
    null,
    (text) => (/^[\x21-\x7e]{16,1000}$/.test(text) ? text : null),
    form,
  );
}

function readSmtp(environment: Environment, read: Read, faults: string[]): Config['smtp'] {
  const url = read<string | null>('SMTP_URL', null, mailAddress, 'smtp://user:password@host:port');
  const from = read<string | null>('EMAIL_FROM', null, senderAddress, 'an email address');
  if (url && !environment['EMAIL_FROM']) faults.push('EMAIL_FROM must be set with SMTP_URL');
  if (from && !environment['SMTP_URL']) faults.push('SMTP_URL must be set with EMAIL_FROM');
  return url && from ? { url, from } : null;
}

/** Errors must not repeat these values, because they may contain a password. */
function isSecret(name: string): boolean {
  const secrets = ['ENCRYPTION_KEY', 'DATABASE_URL', 'SMTP_URL'];
  return secrets.includes(name) || /(_CLIENT_SECRET|_SECRET_KEY|_TOKEN)$/.test(name);
}

/** Recognizes `https://user:password@host`, also if mistyped. */
function hasPassword(text: string): boolean {
  return /:.*@/.test(text);
}

function logLevel(text: string): LogLevel | null {
  return logLevels.find((level) => level === text.toLowerCase()) ?? null;
}
