import { createHash } from 'node:crypto';
import { addDays, dayOf, startOfDay } from '../../platform/lib/days.ts';
import { oneByOne } from '../../platform/work/worker.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { backfillKind, type BackfillProgram, isRepositoryName, sliceBetween } from './backfill.ts';
import { gitHubKinds } from './credentials.ts';
import { findUnreadDays } from './listedRuns.queries.ts';
import {
  type Check,
  claimCheck,
  type CredentialsRow,
  findActiveRepositories,
  findCheckedUntil,
  findChecks,
  findOthersRepositories,
} from './queries.ts';
import { addBackfill } from './startBackfill.ts';

const day = 86_400_000;
const nightMilliseconds = day / 4;
const checkedDays = 3;
const maxCheckedDays = 30;
const activeDays = 30;
/** Maximum for one check or poll. */
export const maxRepositories = 200;
/** How long a source skips repositories that it may not read and another source may. */
const refusedDays = 7;
const unreadDays = 90;
const maxUnreadDays = 30;

/** The last time the source's check was due. It is due once a day between 0:00 and 6:00 UTC. */
export function lastCheckTime(sourceId: string, now: Date): Date {
  const fraction = createHash('sha256').update(sourceId).digest().readUInt32BE() / 2 ** 32;
  const today = startOfDay(dayOf(now)).getTime() + Math.floor(fraction * nightMilliseconds);
  return new Date(today <= now.getTime() ? today : today - day);
}

/** Three days back, or further if checks were missed, up to thirty days. */
export function checkSince(checkedUntil: Date | null, now: Date): Date {
  const usual = now.getTime() - checkedDays * day;
  const gap = checkedUntil ? checkedUntil.getTime() - day : usual;
  return new Date(Math.max(Math.min(usual, gap), now.getTime() - maxCheckedDays * day));
}

/** Backfills of the last days and of days with unread runs. */
export function startNightlyBackfills(program: BackfillProgram): Promise<void> {
  return startDueChecks(program, gitHubKinds, (check, now) => startCheck(program, check, now));
}

/** A failing source does not stop the others. */
export async function startDueChecks(
  { clock, db }: Pick<BackfillProgram, 'clock' | 'db'>,
  kinds: CredentialsRow['kind'][],
  start: (check: Check, now: Date) => Promise<void>,
): Promise<void> {
  const now = clock.now();
  const checks = await findChecks(db, kinds);
  const due = checks.filter(
    ({ sourceId, checkedAt }) => !checkedAt || checkedAt < lastCheckTime(sourceId, now),
  );
  await oneByOne(due, (check) => start(check, now), {
    nameOf: ({ orgId, sourceId }) => [`source ${sourceId}`, orgId],
    message: 'nightly checks could not start',
  });
}

/** Repositories with a run in the last weeks, latest first. */
export function activeRepositories(
  { clock, db }: Pick<BackfillProgram, 'clock' | 'db'>,
  orgId: string,
  except: readonly string[],
): Promise<string[]> {
  const since = new Date(clock.now().getTime() - activeDays * day);
  return findActiveRepositories(db, orgId, { since, limit: maxRepositories, except });
}

export { type Check, claimCheck, findCheckedUntil } from './queries.ts';

async function startCheck(program: BackfillProgram, check: Check, now: Date): Promise<void> {
  const { orgId, sourceId } = check;
  const kind = backfillKind.name;
  const daysAgo = (days: number) => new Date(now.getTime() - days * day);
  const except = await findOthersRepositories(program.db, check, {
    kind,
    kinds: gitHubKinds,
    since: daysAgo(refusedDays),
  });
  const found = await activeRepositories(program, orgId, except);
  const since = checkSince(await findCheckedUntil(program.db, check, kind), now);
  const unread = await findUnreadDays(program.db, orgId, {
    start: addDays(dayOf(now), -unreadDays),
    end: dayOf(since),
    limit: maxUnreadDays,
  });
  const named = [...new Set([...found, ...unread.map(({ repository }) => repository)])];
  const repositories = named.filter((name) => isRepositoryName(name) && !except.includes(name));
  const older = unread
    .map(({ repository, day: of }) => ({
      repository: repositories.indexOf(repository),
      ...sliceBetween(startOfDay(of), startOfDay(addDays(of, 1))),
    }))
    .filter(({ repository }) => repository >= 0);
  await program.db.transaction().execute(async (tx) => {
    if (!(await claimCheck(tx, check, now)) || repositories.length === 0) return;
    const input = {
      sourceId,
      repositories,
      isNightly: true,
      since: since.toISOString(),
      until: now.toISOString(),
    };
    const task = await addBackfill(tx, program.clock, { orgId, input, older });
    const actor = { orgId, name: 'nightly check' };
    await recordAudit(tx, { ...program, actor }, 'backfill.start', task.id, {
      source_id: sourceId,
      repositories: repositories.length,
      since,
      until: now,
    });
  });
}
