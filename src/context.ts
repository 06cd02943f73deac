import type { Providers } from './ledger/pricing/provider.ts';
import type { Database, Transaction } from './platform/db/database.ts';
import type { Egress } from './platform/egress/egress.ts';
import type { Actor } from './platform/lib/actor.ts';
import type { Vault } from './platform/lib/encryption.ts';
import type { Clock } from './platform/lib/time.ts';

/** Who is sent events. `app.ts` hands them in: those who record events know nothing of those who get them. */
export type Subscribers = {
  /** Whether anybody in the organization wants events of the kind. */
  isSubscribed: (tx: Transaction, orgId: string, kind: string) => Promise<boolean>;
  /** Writes the way of each event to all who want it, in the transaction that records the events. */
  fanOut: (
    tx: Transaction,
    orgId: string,
    events: { kind: string; now: Date; ids: string[] },
  ) => Promise<void>;
};

/** What the program gives to every operation. */
export type Program = {
  db: Database;
  clock: Clock;
  vault: Vault;
  egress: Egress;
  providers: Providers;
  subscribers: Subscribers;
};

/** What an operation works with: the program, and who asks. */
export type Context = Program & { actor: Actor };
