import { signedDollars } from '../platform/lib/amountTexts.ts';
import { follow } from './follow.ts';
import { formatCount, printNote } from './output.ts';
import type { Answer, Session } from './session.ts';
import { nanosOf } from './tables.ts';
import type { TailoredGroup } from './verbCommand.ts';

export function followReprice(session: Session, { id }: Answer): Promise<Answer> {
  return follow(session, { get: 'reprice get', input: { id }, unit: 'jobs' });
}

export function printReprice({ id, dry_run: isDryRun, ...reprice }: Answer): void {
  const jobs = `${formatCount(reprice.changed_jobs)} of ${formatCount(reprice.progress.done)} jobs`;
  const difference = signedDollars(nanosOf(reprice.difference));
  console.log(`${jobs} ${isDryRun ? 'would change' : 'changed'}: ${difference}`);
  if (reprice.skipped_jobs > 0)
    printNote(`${formatCount(reprice.skipped_jobs)} jobs have changed since and were skipped.`);
  if (reprice.status === 'cancelled')
    printNote('Canceled; jobs that were already repriced keep their new price.');
  if (!isDryRun && reprice.changed_jobs > 0) printNote(`To undo: reprice revert ${id}`);
}

export const repriceCommands: TailoredGroup = {
  'reprice list': { empty: 'No reprices yet.' },
  'reprice run': {
    run: async (session, input) => followReprice(session, await session.call('reprice run', input)),
    print: printReprice,
    help: `Every change is logged with the previous cost, so you can undo it.

Examples:
  runcost reprice run --from 2026-01-01 --to 2026-03-31 --dry-run
  runcost reprice run --from 2026-01-01 --to 2026-03-31`,
  },
  'reprice revert': {
    run: async (session, input) => followReprice(session, await session.call('reprice revert', input)),
    print: printReprice,
  },
};
