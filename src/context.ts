import type { Database } from './platform/db/database.ts';
import type { Egress } from './platform/egress/egress.ts';
import type { Actor } from './platform/lib/actor.ts';
import type { Clock } from './platform/lib/clock.ts';
import type { Vault } from './platform/lib/encryption.ts';

/** What the program gives to every operation: the database, the time, the vault for secrets, and the way out. */
export type Program = { db: Database; clock: Clock; vault: Vault; egress: Egress };

/** What an operation works with: the program, and who asks. */
export type Context = Program & { actor: Actor };
