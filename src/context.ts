import type { Providers } from './ledger/pricing/provider.ts';
import type { Database, Transaction } from './platform/db/database.ts';
import type { Egress } from './platform/egress/egress.ts';
import type { Actor } from './platform/lib/actor.ts';
import type { Vault } from './platform/lib/encryption.ts';
import type { Clock } from './platform/lib/time.ts';
import type { Telemetry } from './platform/telemetry/metrics.ts';
import type { AuditEntriesTable } from './tenancy/audit/tables.ts';

/** `app.ts` passes them in, because domains that record events do not know the receivers. */
export type Subscribers = {
  isSubscribed: (tx: Transaction, orgId: string, kind: string) => Promise<boolean>;
  fanOut: (
    tx: Transaction,
    orgId: string,
    events: { kind: string; now: Date; ids: string[] },
  ) => Promise<void>;
  /** Called with runs of pull requests whose attempt has ended. */
  pullRequestRunsEnded: (tx: Transaction, orgId: string, runs: readonly EndedRun[]) => Promise<void>;
  /** Called with runs of pull requests from forks, whose number GitHub's events do not have. */
  forkRunsEnded: (tx: Transaction, orgId: string, runs: readonly ForkRun[]) => Promise<void>;
  /** Announces an audit entry in an organization with a subscriber for it. */
  announceAudit: (tx: Transaction, entry: AuditEntriesTable) => Promise<void>;
};

/** `at` is when the cost is final. Without `isNamed`, the run may update a comment but not create one. */
export type EndedRun = {
  provider: string;
  repository: string;
  pullRequest: number;
  isNamed: boolean;
  /** The commit that was built, and when its run was created. */
  head: { commit: string; createdAt: Date } | null;
  at: Date;
};

export type ForkRun = {
  provider: string;
  repository: string;
  /** The provider's id of the run. */
  runId: string;
  headRepository: string;
  headBranch: string;
  headSha: string | null;
  /** The installation of the GitHub App that got the event. */
  installationId: string;
  createdAt: Date;
  at: Date;
};

/** The rise that marks an unusual day, in billionths of a percent. `app.ts` passes it in: an alert sets it. */
export type FindUnusualThreshold = (db: Database, orgId: string) => Promise<bigint | null>;

export type Program = {
  db: Database;
  /** Whether the database can spread organizations over several servers. */
  isDistributed: boolean;
  clock: Clock;
  vault: Vault;
  egress: Egress;
  providers: Providers;
  subscribers: Subscribers;
  findUnusualThreshold: FindUnusualThreshold;
  telemetry: Telemetry;
};

export type Context = Program & { actor: Actor };
