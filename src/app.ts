import { extname } from 'node:path';
import { pino, type Logger } from 'pino';
import { type Config } from './config.ts';
import type { FindUnusualThreshold, Subscribers } from './context.ts';
import { recordEvent } from './events/outbox.ts';
import { createEstimateThreads, type EstimateThreads } from './insight/estimates/threads.ts';
import { removeScheduledExportsOf, resealScheduledExports } from './insight/scheduledExports/queries.ts';
import { deleteListed } from './intake/backfills/listedRuns.queries.ts';
import { resealCredentials } from './intake/backfills/queries.ts';
import { removeGitHubAppsOf, resealGitHubApps } from './intake/gitHubApps/queries.ts';
import { providers as knownProviders } from './intake/providers/providers.ts';
import { findLatestEvents, removeSourcesOf, resealSources } from './intake/reception/queries.ts';
import { removeColumns } from './ledger/costs/columns/removedRows.queries.ts';
import { createProviders, type Providers } from './ledger/pricing/provider.ts';
import { sumUpRuns, type DeleteRunDependents } from './ledger/runs/deleteRuns.ts';
import { createRecorder, type Recorder } from './ledger/runs/recorder.ts';
import {
  disableAlertsOf,
  findAlertsThatUse,
  findOldestDueCheck,
  findUnusualThreshold,
} from './outreach/alerts/queries.ts';
import { markNotified } from './outreach/alerts/triggers.queries.ts';
import type { FindUses } from './outreach/channels/context.ts';
import type { Mailer } from './outreach/channels/email/mailer.ts';
import type { ChannelKinds } from './outreach/channels/kind.ts';
import { channelKinds } from './outreach/channels/kinds.ts';
import { removeChannelsOf, resealChannels } from './outreach/channels/queries.ts';
import type { DigestSources } from './outreach/digests/gather.ts';
import { digestMessages } from './outreach/digests/message.ts';
import { disableDigestsOf, findDigestsThatUse } from './outreach/digests/queries.ts';
import type { DigestMessages, MarkNotified } from './outreach/notifications/context.ts';
import { findLastMessages, removeNotificationsOf } from './outreach/notifications/queries.ts';
import { queueReports, removeCommentsOf } from './outreach/pullRequestComments/comments.ts';
import { queueSearches } from './outreach/pullRequestComments/forks.ts';
import { findOldestDue } from './outreach/webhooks/claim.queries.ts';
import { webhookSubscribers } from './outreach/webhooks/deliveries.ts';
import { removeWebhooksOf, resealWebhooks } from './outreach/webhooks/queries.ts';
import {
  openDatabase,
  ping,
  type Database,
  type OpenDatabase,
  type Transaction,
} from './platform/db/database.ts';
import { describeUndistributed, readDistribution } from './platform/db/distribution.ts';
import { createHealth, type Health } from './platform/db/health.ts';
import { findHold, recognizeFolder, refuseUnfinishedMove } from './platform/db/installation.ts';
import { migrate } from './platform/db/migrate.ts';
import { openVault, type Reseal } from './platform/db/openVault.ts';
import { readSizes } from './platform/db/sizes.ts';
import { holdReasons } from './platform/db/tables.ts';
import { createEgress, type Egress } from './platform/egress/egress.ts';
import { localAddress } from './platform/lib/commandLine.ts';
import type { Vault } from './platform/lib/encryption.ts';
import { findRunningServers, newOperatorToken } from './platform/lib/runningServers.ts';
import { systemClock, type Clock } from './platform/lib/time.ts';
import {
  createMetrics,
  clearDatabaseMetrics,
  maxSources,
  type Metrics,
  type Telemetry,
} from './platform/telemetry/metrics.ts';
import { createScrape } from './platform/telemetry/scrape.ts';
import { openTracing } from './platform/telemetry/tracing.ts';
import { cancelTasksOf } from './platform/work/tasks.queries.ts';
import { entriesOf, type AuditRow } from './tenancy/audit/audit.ts';
import { removeProvidersOf, resealIdentities } from './tenancy/identity/queries.ts';
import type { ShutDown } from './tenancy/organizations/deleteOrganization.ts';
import { endSessionsOf } from './tenancy/sessions/queries.ts';
import { removeTokensOf } from './tenancy/tokens/queries.ts';

export type App = Wiring & {
  config: Config;
  log: Logger;
  clock: Clock;
  db: Database;
  /** Whether Citus was in the database as this process started. */
  isDistributed: boolean;
  background: Database;
  health: Health;
  telemetry: Telemetry;
  scrape: () => Promise<string>;
  vault: Vault;
  recorder: Recorder;
  egress: Egress;
  providers: Providers;
  estimates: EstimateThreads;
  mailer: Mailer | null;
  channelKinds: ChannelKinds;
  /** The server's public address without a trailing slash. A chosen port is known once it listens. */
  publicUrl: () => string;
  setAddress: (address: string) => void;
  /** Never stored in the database and never logged. `announceServer` writes it where only this user can read it. */
  operatorToken: string;
  close: () => Promise<void>;
};

export type AppOptions = {
  mayCreate: boolean;
  /** Servers trace and say where they are. Commands are short and should start fast. */
  isServer?: boolean;
  clock?: Clock;
  log?: Logger;
};

export async function createApp(config: Config, options: AppOptions): Promise<App> {
  const metrics = createMetrics();
  const { mayCreate, isServer = false } = options;
  const log = options.log ?? pino({ level: config.logLevel }, pino.destination(2));
  const onLost = (err: Error, pool: string) => log.warn({ err, pool }, 'a connection to the database broke');
  const database = await openDatabase(config, {
    mayCreate,
    metrics,
    onLost: isServer ? onLost : undefined,
  });
  try {
    if (database.lacksTimeouts) log.warn(timeoutsText);
    await migrate(database.db);
    if (database.note) log.warn(database.note);
    if (!config.databaseUrl) {
      await recognizeFolder(database.db, config.dataDir, options.clock ?? systemClock);
    }
    await refuseUnfinishedMove(database.db);
    database.limitSilence();
    if (isServer) await ping(database.spare);
    const tracing = await openTracing(isServer ? config.tracing : null);
    return await assemble(config, options, database, { log, telemetry: { metrics, tracing } });
  } catch (error) {
    await database.close();
    throw error;
  }
}

const timeoutsText =
  'The pooler at DATABASE_URL takes no time-outs from its clients: set them in its connect_query (docs/how-to/run-in-production.md).';

async function assemble(
  config: Config,
  options: AppOptions,
  database: OpenDatabase,
  { log, telemetry }: Pick<App, 'log' | 'telemetry'>,
): Promise<App> {
  const { db, background } = database;
  const health = createHealth(database.spare, log);
  const egress = createEgress(config.egress);
  let ownAddress = findRunningServers(config.dataDir)[0]?.publicUrl ?? localAddress(config.host, config.port);
  const publicUrl = () => config.publicUrl ?? ownAddress;
  const mailer = await openMailer(config);
  const clock = options.clock ?? systemClock;
  const isDistributed = await checkDistribution(db, log);
  const estimates = createEstimateThreads(
    new URL(`./estimateThread${extname(import.meta.url)}`, import.meta.url),
  );
  return {
    ...wiring,
    config,
    log,
    clock,
    db,
    isDistributed,
    background,
    health,
    vault: await openVault(config, db, resealers),
    telemetry,
    scrape: createScrape({
      metrics: telemetry.metrics,
      clock,
      log,
      readDatabase: () => readDatabase(database.spare, { config, clock, metrics: telemetry.metrics }),
    }),
    recorder: createRecorder({
      db,
      isDistributed,
      providers,
      subscribers: wiring.subscribers,
      telemetry,
    }),
    providers,
    estimates,
    egress,
    mailer,
    channelKinds: { ...channelKinds },
    publicUrl,
    setAddress: (address) => void (ownAddress = address),
    operatorToken: newOperatorToken(),
    close: async () => {
      health.close();
      mailer?.close();
      await estimates.close();
      await egress.close();
      await telemetry.tracing.close();
      await database.close();
    },
  };
}

/** Returns whether the database has Citus. */
async function checkDistribution(db: Database, log: Logger): Promise<boolean> {
  const distribution = await readDistribution(db);
  if (distribution?.undistributed.length) log.warn(describeUndistributed(distribution));
  return distribution !== null;
}

/** Sets the metrics from the database, in one short transaction on the connection of the probes. */
async function readDatabase(
  db: Database,
  { config, clock, metrics }: { config: Config; clock: Clock; metrics: Metrics },
): Promise<void> {
  const now = clock.now();
  const secondsSince = (since: Date | null) => (since ? (now.getTime() - since.getTime()) / 1_000 : 0);
  const read = await readSizes(db, config, async (tx) => ({
    oldestDue: await findOldestDue(tx, now),
    oldestCheck: await findOldestDueCheck(tx, now),
    events: await findLatestEvents(tx, maxSources),
    hold: await findHold(tx),
  }));
  const gauges = metrics.fromDatabase;
  clearDatabaseMetrics(metrics);
  gauges.oldestDueDelivery.set(secondsSince(read.oldestDue));
  gauges.alertCheckLag.set(secondsSince(read.oldestCheck));
  for (const { id, kind, at } of read.events)
    gauges.lastEvent.set({ provider: kind, source: id }, at.getTime() / 1_000);
  for (const reason of holdReasons) gauges.hold.set({ reason }, read.hold?.reason === reason ? 1 : 0);
  const sizes = ['databaseBytes', 'walBytes', 'freeBytes', 'diskBytes'] as const;
  for (const name of sizes) if (read[name] !== null) gauges[name].set(read[name]);
}

async function openMailer({ smtp }: Config): Promise<Mailer | null> {
  if (!smtp) return null;
  const { createMailer } = await import('./outreach/channels/email/mailer.ts');
  return createMailer({ smtpUrl: smtp.url, from: smtp.from });
}

/** What later domains do for earlier ones, which must not depend on them. Each writes only its own tables. */
type Wiring = {
  subscribers: Subscribers;
  findUnusualThreshold: FindUnusualThreshold;
  shutDowns: readonly ShutDown[];
  deleteRunDependents: DeleteRunDependents;
  markNotified: MarkNotified;
  digests: DigestMessages;
  digestSources: DigestSources;
  channelUses: readonly FindUses[];
  lastMessages: typeof findLastMessages;
};

const providers = createProviders(knownProviders);

async function announceAudit(tx: Transaction, row: AuditRow): Promise<void> {
  const { orgId, createdAt: now } = row;
  const [entry] = await entriesOf({ db: tx, providers }, orgId, [row]);
  await recordEvent(tx, { orgId, now, subscribers: wiring.subscribers }, 'audit.recorded', { entry: entry! });
}

const wiring: Wiring = {
  subscribers: {
    ...webhookSubscribers,
    announceAudit,
    pullRequestRunsEnded: queueReports,
    forkRunsEnded: queueSearches,
  },
  findUnusualThreshold,
  shutDowns: [
    endSessionsOf,
    removeTokensOf,
    removeSourcesOf,
    removeGitHubAppsOf,
    removeProvidersOf,
    removeWebhooksOf,
    disableAlertsOf,
    disableDigestsOf,
    removeNotificationsOf,
    removeChannelsOf,
    cancelTasksOf,
    removeCommentsOf,
    removeScheduledExportsOf,
    sumUpRuns,
  ],
  deleteRunDependents: async (...runs) => {
    await deleteListed(...runs);
    await removeColumns(...runs);
  },
  markNotified,
  digests: digestMessages,
  channelUses: [findAlertsThatUse, findDigestsThatUse],
  lastMessages: findLastMessages,
  digestSources: {
    causeOf: async (question, change) => {
      const { causeOf } = await import('./insight/explore/changeView.ts');
      return causeOf(question, change);
    },
    findBiggestSaving: async (...asked) => {
      const { findBiggestSaving } = await import('./insight/waste/fixesView.ts');
      return findBiggestSaving(...asked);
    },
    closeMonth: async (...asked) => {
      const { closeMonth } = await import('./insight/bills/monthClose.ts');
      return closeMonth(...asked);
    },
  },
};

export const resealers: readonly Reseal[] = [
  resealChannels,
  resealIdentities,
  resealSources,
  resealCredentials,
  resealGitHubApps,
  resealWebhooks,
  resealScheduledExports,
];

/** The program computes these tables from others, so backups leave them out. */
export const derivedTables: readonly string[] = ['day_columns'];
