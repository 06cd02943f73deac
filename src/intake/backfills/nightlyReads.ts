import { oneByOne, type Poller } from '../../platform/work/worker.ts';
import type { BackfillProgram } from './backfill.ts';
import { gitHubKinds } from './credentials.ts';
import { lastCheckTime } from './nightly.ts';
import { claimRead, endRead, findReadTimes, type ReadTable } from './nightlyReads.queries.ts';

type NightlyRead = {
  what: string;
  table: ReadTable;
  /** Longer than a read takes. */
  claimMilliseconds: number;
  read: (orgId: string) => Promise<void>;
};

/**
 * Reads from GitHub once a night, for each organization with credentials. A read that fails waits for the next night; one
 * whose worker is killed happens again when its claim has ended.
 */
export function nightlyPoller(
  { db, clock }: Pick<BackfillProgram, 'db' | 'clock'>,
  { what, table, claimMilliseconds, read }: NightlyRead,
): Poller {
  const readOnce = async ({ orgId, since }: { orgId: string; since: Date }): Promise<void> => {
    const now = clock.now();
    const until = new Date(now.getTime() + claimMilliseconds);
    if (!(await claimRead(db, table, orgId, { since, now, until }))) return;
    try {
      await read(orgId);
    } finally {
      await endRead(db, table, orgId, clock.now());
    }
  };
  return {
    name: `read ${what}`,
    everyMilliseconds: 60_000,
    run: async () => {
      const now = clock.now();
      const times = await findReadTimes(db, table, gitHubKinds);
      const due = times.filter(({ orgId, since }) => since < lastCheckTime(orgId, now));
      await oneByOne(due, readOnce, {
        nameOf: ({ orgId }) => [what, orgId],
        message: `${what} could not be read`,
      });
      return false;
    },
  };
}
