import type { Database, Transaction } from './database.ts';

const mostTries = 5;

/**
 * Runs `work` in a transaction all of whose statements see the database as it was at its first one. Where it meets
 * a row that somebody has changed since, it starts again, so `work` must have no effect outside the transaction.
 */
export async function inSnapshot<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction().setIsolationLevel('repeatable read').execute(work);
    } catch (error) {
      if (tries === mostTries || !isSerializationFailure(error)) throw error;
    }
  }
}

function isSerializationFailure(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '40001';
}
