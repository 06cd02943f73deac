import { pino } from 'pino';
import { type App, createApp } from '../app.ts';
import { type Config, readConfig } from '../config.ts';
import { isDatabaseAway } from '../platform/db/outages.ts';
import { PublicError } from '../platform/lib/errors.ts';

/** Works beside a server. Only the first start `mayCreate` a database, or a mistyped folder would get one. */
export async function withApp<T>(
  work: (app: App) => Promise<T>,
  { mayCreate = false, config = readConfig() }: { mayCreate?: boolean; config?: Config } = {},
): Promise<T> {
  const app = await createApp(config, { mayCreate, log: pino({ level: 'silent' }) });
  try {
    return await work(app);
  } catch (error) {
    if (!isServerAway(error)) throw error;
    const message = 'The database has stopped. Run the command again when it is back.';
    throw new PublicError('unavailable', 'database_away', message);
  } finally {
    await app.close();
  }
}

function isServerAway(error: unknown): boolean {
  return isDatabaseAway(error) || isDatabaseAway((error as Error).cause);
}
