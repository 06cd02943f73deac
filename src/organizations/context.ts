import type { Database, Transaction } from '../db/database.ts';
import type { Egress } from '../egress/egress.ts';
import type { Actor } from '../lib/actor.ts';
import type { Clock } from '../lib/clock.ts';
import type { Vault } from '../lib/encryption.ts';

/** What the program gives to every operation: the database, the time, the vault for secrets, and the way out. */
export type Program = { db: Database; clock: Clock; vault: Vault; egress: Egress };

/** Ends the sessions that no token begins, but for the actor's own: nobody can say whose they are. */
export type EndLinkSessions = (tx: Transaction, ctx: Context) => Promise<void>;

/** What an operation works with: the program, and who asks. */
export type Context = Program & { actor: Actor };
