import type { Logger } from 'pino';
import type { Program } from '../../context.ts';
import type { Verified } from '../../platform/http/authenticate.ts';
import { firstWithin } from '../../platform/lib/firstWithin.ts';
import { limitFailures, type Attempt } from '../../platform/lib/limitFailures.ts';
import { recordAudit } from '../audit/audit.ts';
import { readSecret } from '../tokens/tokens.ts';
import { findSignInCode, findTokenHolder } from './queries.ts';

export const unnoted = 'a failed sign-in could not be written to the audit log';

const everyMilliseconds = 60_000;

type Named = { kind: 'token' | 'code'; orgId: string; id: string };
type Noting = Pick<Program, 'db' | 'clock' | 'subscribers'>;

/** In the audit log, once a minute per credential and address. Unknown ids leave no entry. */
export function createFailureNotes(program: Noting) {
  const isFirst = firstWithin(program.clock, everyMilliseconds);
  return async (named: Named | null, address: string): Promise<void> => {
    if (!named) return;
    if (!isFirst(`${named.orgId} ${named.id} ${address}`)) return;
    await noteFailure(program, named, 'session.fail', address);
  };
}

async function noteFailure(
  { db, clock, subscribers }: Noting,
  { kind, orgId, id }: Named,
  action: 'session.fail' | 'token.fail',
  address: string,
): Promise<void> {
  const find = kind === 'token' ? findTokenHolder : findSignInCode;
  const holder = await find(db, orgId, id);
  if (!holder) return;
  const author = { clock, subscribers, actor: { orgId, name: 'unknown' } };
  const details = { ...(action === 'session.fail' && { with: kind }), address, member_id: holder.memberId };
  await db.transaction().execute((tx) => recordAudit(tx, author, action, id, details));
}

/** More than for people who sign in, because a program with a bad token retries often. */
const maxUnknownTokens = 60;

type Verify = (text: string, ownCommand: () => string) => Promise<Verified>;
type VerifyFrom = (text: string, network: string, ownCommand: () => string) => Promise<Verified>;

/** And reports it once, in the log and the organization's audit log. */
export function limitUnknownTokens(
  program: Noting & { log: Pick<Logger, 'warn' | 'error'> },
  verify: Verify,
  { isLimited }: { isLimited: boolean },
): VerifyFrom {
  if (!isLimited) return (text, _network, ownCommand) => verify(text, ownCommand);
  const onLimited = async ({ address, credential }: Attempt, of: 'address' | 'credential') => {
    const [orgId = '', id = ''] = credential?.split(' ') ?? [];
    const named = credential === null ? {} : { organization: orgId, token: id };
    program.log.warn({ address, by: of, ...named }, 'unknown tokens are refused with 429');
    if (of !== 'credential') return;
    // The caller gets the answer to the token even if the audit log cannot be written.
    await noteFailure(program, { kind: 'token', orgId, id }, 'token.fail', address).catch((err: unknown) =>
      program.log.error({ err, ...named }, unnoted),
    );
  };
  const attempt = limitFailures(program.clock, maxUnknownTokens, {
    failures: 'requests with a token that is unknown, revoked or expired',
    onLimited,
  });
  return (text, network, ownCommand) => {
    const named = {
      address: network,
      get credential() {
        const parts = readSecret('token', text);
        return parts && `${parts.orgId} ${parts.id}`;
      },
    };
    return attempt(named, () => verify(text, ownCommand));
  };
}
