import { LRUCache } from 'lru-cache';
import type { Program } from '../../context.ts';
import { recordAudit } from '../audit/audit.ts';
import { findSignInCode, findTokenHolder } from './queries.ts';

const maxNoted = 10_000;
const everyMilliseconds = 60_000;

type Named = { kind: 'token' | 'code'; orgId: string; id: string };

/**
 * Notes in the audit log of the organization that somebody failed to sign in with one of its tokens or links: at most
 * once a minute for each with an address. Ids that nobody gave out leave no entry, or anybody could fill the log.
 */
export function createFailureNotes({
  db,
  clock,
  subscribers,
}: Pick<Program, 'db' | 'clock' | 'subscribers'>) {
  const noted = new LRUCache<string, number>({ max: maxNoted });
  return async (named: Named | null, address: string): Promise<void> => {
    if (!named) return;
    const { kind, orgId, id } = named;
    const now = clock.now().getTime();
    const key = `${orgId} ${id} ${address}`;
    if (now - (noted.get(key) ?? -Infinity) < everyMilliseconds) return;
    noted.set(key, now);
    const find = kind === 'token' ? findTokenHolder : findSignInCode;
    const holder = await find(db, orgId, id);
    if (!holder) return;
    const author = { clock, subscribers, actor: { orgId, name: 'unknown' } };
    const details = { with: kind, address, member_id: holder.memberId };
    await db.transaction().execute((tx) => recordAudit(tx, author, 'session.fail', id, details));
  };
}
