import { pino, type Logger } from 'pino';
import { localAddress, type Config } from './config.ts';
import type { Subscribers } from './context.ts';
import { forgetListed } from './intake/backfills/listedRuns.queries.ts';
import { resealCredentials } from './intake/backfills/queries.ts';
import { providers as knownProviders } from './intake/providers/providers.ts';
import { removeSourcesOf, resealSources } from './intake/reception/queries.ts';
import { removeColumns } from './ledger/costs/dayColumns.queries.ts';
import { createProviders, type Providers } from './ledger/pricing/provider.ts';
import { sumUpRuns, type ForgetRuns } from './ledger/runs/deleteRuns.ts';
import { createRecorder, type Recorder } from './ledger/runs/recorder.ts';
import { disableAlertsOf, markNotified } from './outreach/alerts/queries.ts';
import type { MarkNotified } from './outreach/notifications/context.ts';
import type { Mailer } from './outreach/notifications/email/mailer.ts';
import { removeNotificationsOf } from './outreach/notifications/queries.ts';
import { webhookSubscribers } from './outreach/webhooks/deliveries.ts';
import { removeWebhooksOf, resealWebhooks } from './outreach/webhooks/queries.ts';
import { openDatabase, type Database, type OpenDatabase } from './platform/db/database.ts';
import { createHealth, type Health } from './platform/db/health.ts';
import { migrate } from './platform/db/migrate.ts';
import { openVault, type Reseal } from './platform/db/openVault.ts';
import { createEgress, type Egress } from './platform/egress/egress.ts';
import type { Vault } from './platform/lib/encryption.ts';
import { systemClock, type Clock } from './platform/lib/time.ts';
import { cancelTasksOf } from './platform/work/tasks.queries.ts';
import type { ShutDown } from './tenancy/organizations/deleteOrganization.ts';
import { resealChats } from './tenancy/organizations/queries.ts';
import { endSessionsOf } from './tenancy/sessions/queries.ts';
import { removeTokensOf } from './tenancy/tokens/queries.ts';

export type App = Wiring & {
  config: Config;
  log: Logger;
  clock: Clock;
  db: Database;
  /** The database for background work. */
  background: Database;
  health: Health;
  vault: Vault;
  recorder: Recorder;
  egress: Egress;
  providers: Providers;
  mailer: Mailer | null;
  /** The server's public address without a trailing slash. A free port is known only once the server listens. */
  publicUrl: () => string;
  setAddress: (address: string) => void;
  databaseFailed: Promise<never>;
  close: () => Promise<void>;
};

export type AppOptions = {
  command: string;
  mayJoin: boolean;
  mayCreate: boolean;
  clock?: Clock;
  log?: Logger;
};

export async function createApp(config: Config, options: AppOptions): Promise<App> {
  const database = await openDatabase(config, options);
  const log = options.log ?? pino({ level: config.logLevel }, pino.destination(2));
  try {
    await migrate(database.db);
    database.limitSilence();
    return await assemble(config, options, database, log);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function assemble(
  config: Config,
  options: AppOptions,
  database: OpenDatabase,
  log: Logger,
): Promise<App> {
  const { db, background } = database;
  const health = createHealth(database.spare, log);
  const egress = createEgress(config.egress);
  let ownAddress = database.serverUrl ?? localAddress(config.host, config.port);
  const publicUrl = () => config.publicUrl ?? ownAddress;
  const mailer = await openMailer(config);
  const providers = createProviders(knownProviders);
  return {
    ...wiring,
    config,
    log,
    clock: options.clock ?? systemClock,
    db,
    background,
    health,
    vault: await openVault(config, db, resealers),
    recorder: createRecorder({ db, providers, subscribers: wiring.subscribers }),
    providers,
    databaseFailed: database.failed,
    egress,
    mailer,
    publicUrl,
    setAddress: (address) => {
      ownAddress = address;
      database.announce(publicUrl());
    },
    close: async () => {
      health.close();
      mailer?.close();
      await egress.close();
      await database.close();
    },
  };
}

async function openMailer({ smtp }: Config): Promise<Mailer | null> {
  if (!smtp) return null;
  const { createMailer } = await import('./outreach/notifications/email/mailer.ts');
  return createMailer({ smtpUrl: smtp.url, from: smtp.from });
}

/** What later domains do for earlier ones, which cannot know them. Each writes only its own tables. */
type Wiring = {
  subscribers: Subscribers;
  shutDowns: readonly ShutDown[];
  forgetRuns: ForgetRuns;
  markNotified: MarkNotified;
};

const wiring: Wiring = {
  subscribers: webhookSubscribers,
  shutDowns: [
    ...[endSessionsOf, removeTokensOf, removeSourcesOf],
    ...[removeWebhooksOf, disableAlertsOf, removeNotificationsOf, cancelTasksOf],
    sumUpRuns,
  ],
  forgetRuns: async (...runs) => {
    await forgetListed(...runs);
    await removeColumns(...runs);
  },
  markNotified,
};

export const resealers: readonly Reseal[] = [resealChats, resealSources, resealCredentials, resealWebhooks];
