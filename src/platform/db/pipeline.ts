import {
  CompiledQuery,
  Transaction as KyselyTransaction,
  type DatabaseConnection,
  type QueryExecutor,
} from 'kysely';
import type { Tables } from '../../tables.ts';
import type { Database, Transaction } from './database.ts';
import { unconnected } from './prepared.ts';

/** Sends a statement whose result nobody reads. If it fails, so does the transaction. */
export type Send = (statement: CompiledQuery) => void;

/** Statements are sent without waiting for results. The last ones travel with the commit. */
export function inPipeline<T>(db: Database, work: (tx: Transaction, send: Send) => Promise<T>): Promise<T> {
  const executor = db.getExecutor();
  return executor.provideConnection(async (connection) => {
    const answers: Promise<unknown>[] = [];
    const failures: unknown[] = [];
    let [hasBegun, hasEnded] = [false, false];
    const fail = (error: unknown): void => void failures.push(error);
    const send: Send = (statement) => {
      // Before the transaction begins or after it ends, each change would be committed by itself.
      if (!hasBegun) throw new Error('changes are sent after the first answer in their transaction');
      if (hasEnded) throw ended();
      answers.push(connection.executeQuery(statement).catch(fail));
    };
    connection.executeQuery(begin).then(() => (hasBegun = true), fail);
    try {
      const result = await work(
        transactionOn(executor, connection, () => hasEnded),
        send,
      ).finally(() => (hasEnded = true));
      // If the driver itself refused a statement, the commit would go out without it.
      await new Promise((resolve) => process.nextTick(resolve));
      if (failures.length > 0) throw failures[0];
      const [answer] = await Promise.all([connection.executeQuery<Ended>(commit), ...answers]);
      if (failures.length > 0) throw failures[0];
      if (answer.rows[0]!.command !== 'COMMIT') throw new Error('the transaction was rolled back');
      return result;
    } catch (error) {
      await connection.executeQuery(rollback).catch(() => {});
      // After a failed change, every later statement fails too, with a less useful error.
      throw failures[0] ?? error;
    }
  });
}

const ended = () => new Error('the transaction has ended');

/** `ROLLBACK` if a statement failed. */
type Ended = { command: string };

/** A plan of a prepared statement, made while a table was small, must not scan it after it has grown. */
const begin = CompiledQuery.raw('begin; set local plan_cache_mode = auto; set local enable_seqscan = off');
const commit = CompiledQuery.raw('commit');
const rollback = CompiledQuery.raw('rollback');

function transactionOn(
  ofPool: QueryExecutor,
  connection: DatabaseConnection,
  hasEnded: () => boolean,
): Transaction {
  const executor = ofPool.withConnectionProvider({
    provideConnection: async (use) => {
      // Somebody else may be using the connection by now.
      if (hasEnded()) throw ended();
      return use(connection);
    },
  });
  const driver = unconnected.createDriver();
  return new KyselyTransaction<Tables>({
    config: { dialect: unconnected },
    dialect: unconnected,
    driver,
    executor,
  });
}
