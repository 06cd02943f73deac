import type { Database } from '../../platform/db/database.ts';
import { randomId } from '../../platform/lib/ids.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { listAlertEmails } from '../../tenancy/members/members.ts';
import { getOrganization } from '../../tenancy/organizations/organizations.ts';
import {
  claimExpiringTokens,
  type ExpiringToken,
  findOrganizationsToWarn,
} from '../../tenancy/tokens/tokens.ts';
import type { TokenNotice } from '../channels/wording.ts';
import type { NotificationProgram } from './context.ts';
import { insertNotifications } from './queries.ts';

/** To its member, or owners and admins. Without a mail server, none is marked as warned. */
async function warnOfExpiry(program: NotificationProgram): Promise<boolean> {
  const { db, clock, mailer } = program;
  if (!mailer) return false;
  const now = clock.now();
  let warned = 0;
  for (const orgId of await findOrganizationsToWarn(db, now)) {
    warned += await warnOrganization(db, orgId, now);
  }
  return warned > 0;
}

async function warnOrganization(db: Database, orgId: string, now: Date): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const tokens = await claimExpiringTokens(tx, orgId, now);
    if (tokens.length === 0) return 0;
    const { login, name } = await getOrganization({ db: tx, actor: { orgId } });
    for (const token of tokens) {
      const { memberEmail } = token;
      const notice = noticeOf(token, login ?? name);
      const recipients = memberEmail === null ? await listAlertEmails(tx, orgId) : [memberEmail];
      await insertNotifications(
        tx,
        recipients.map((recipient) => ({
          orgId,
          id: randomId('ntf'),
          triggerId: null,
          channel: 'email',
          recipient,
          notice,
          status: 'pending',
          attempts: 0,
          dueAt: now,
          createdAt: now,
        })),
      );
    }
    return tokens.length;
  });
}

function noticeOf(token: ExpiringToken, organization: string): TokenNotice {
  const { id, name, role, memberEmail, expiresAt, lastUsedAt } = token;
  return {
    token: { id, name, role, member: memberEmail },
    organization,
    expiresAt: expiresAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}

export function tokenExpiryPollers(program: NotificationProgram): Poller[] {
  const everyMilliseconds = 10 * 60_000;
  return [{ name: 'warn of expiring tokens', everyMilliseconds, run: () => warnOfExpiry(program) }];
}
