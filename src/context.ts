import type { Providers } from './ledger/pricing/provider.ts';
import type { Database, Transaction } from './platform/db/database.ts';
import type { Egress } from './platform/egress/egress.ts';
import type { Actor } from './platform/lib/actor.ts';
import type { Vault } from './platform/lib/encryption.ts';
import type { Clock } from './platform/lib/time.ts';
import type { Telemetry } from './platform/telemetry/metrics.ts';
import type { AuditEntriesTable } from './tenancy/audit/tables.ts';

/** Who gets events. `app.ts` passes them in, because those who record events do not know the receivers. */
export type Subscribers = {
  isSubscribed: (tx: Transaction, orgId: string, kind: string) => Promise<boolean>;
  fanOut: (
    tx: Transaction,
    orgId: string,
    events: { kind: string; now: Date; ids: string[] },
  ) => Promise<void>;
  /** Runs of pull requests whose attempt has ended. */
  pullRequestRunsEnded: (tx: Transaction, orgId: string, runs: readonly EndedRun[]) => Promise<void>;
  /** Runs of pull requests from forks, whose number GitHub's events do not have. */
  forkRunsEnded: (tx: Transaction, orgId: string, runs: readonly ForkRun[]) => Promise<void>;
  /** The event of an audit entry, for an organization in which somebody gets it. */
  announceAudit: (tx: Transaction, entry: AuditEntriesTable) => Promise<void>;
};

/** `at` is when its cost is final. If its own event does not name the pull request, the run only renews a comment. */
export type EndedRun = {
  provider: string;
  repository: string;
  pullRequest: number;
  isNamed: boolean;
  /** What was built, and when its run was created. */
  head: { commit: string; createdAt: Date } | null;
  at: Date;
};

export type ForkRun = {
  provider: string;
  repository: string;
  /** The provider's id. */
  runId: string;
  headRepository: string;
  headBranch: string;
  headSha: string | null;
  /** Of GitHub's App that got the event. */
  installationId: string;
  createdAt: Date;
  at: Date;
};

export type Program = {
  db: Database;
  clock: Clock;
  vault: Vault;
  egress: Egress;
  providers: Providers;
  subscribers: Subscribers;
  telemetry: Telemetry;
};

export type Context = Program & { actor: Actor };
