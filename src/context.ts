import type { Providers } from './ledger/pricing/provider.ts';
import type { Database } from './platform/db/database.ts';
import type { Egress } from './platform/egress/egress.ts';
import type { Actor } from './platform/lib/actor.ts';
import type { Clock } from './platform/lib/clock.ts';
import type { Vault } from './platform/lib/encryption.ts';

/** What the program gives to every operation: the database, the time, secrets, the way out, and what CI systems do. */
export type Program = {
  db: Database;
  clock: Clock;
  vault: Vault;
  egress: Egress;
  providers: Providers;
};

/** What an operation works with: the program, and who asks. */
export type Context = Program & { actor: Actor };
