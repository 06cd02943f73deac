import type { Context } from '../../context.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { formatNanos, toNanos, usdOrNull, type Nanos } from '../../platform/lib/money.ts';
import { differences, recordAudit } from '../../tenancy/audit/audit.ts';
import { lockOrganization } from '../../tenancy/organizations/organizations.ts';
import { findComments, findSettings, putSettings, type CommentRow } from './queries.ts';

export type PullRequestSettings = { isEnabled: boolean; failAbove: Nanos | null; opensFixes: boolean };

type ReadContext = Pick<Context, 'db'> & { actor: Pick<Context['actor'], 'orgId'> };

export async function getSettings({ db, actor }: ReadContext): Promise<PullRequestSettings> {
  const row = await findSettings(db, actor.orgId);
  return {
    isEnabled: row?.isEnabled ?? false,
    failAbove: row?.failAboveNanos ?? null,
    opensFixes: row?.opensFixes ?? false,
  };
}

/** `fail_above` is in dollars; null removes the limit. Absent fields stay as they are. */
export type SettingsChange = {
  enabled?: boolean | undefined;
  fail_above?: number | null | undefined;
  open_fixes?: boolean | undefined;
};

export async function changeSettings(ctx: Context, change: SettingsChange): Promise<PullRequestSettings> {
  const { actor, clock, db } = ctx;
  const failAbove = typeof change.fail_above === 'number' ? toNanos(change.fail_above) : change.fail_above;
  if (failAbove === null && change.fail_above !== null)
    throw invalid('fail_above', 'must have at most nine decimals');
  return db.transaction().execute(async (tx) => {
    await lockOrganization(tx, actor.orgId);
    const known = await getSettings({ db: tx, actor });
    const changed = {
      isEnabled: change.enabled ?? known.isEnabled,
      failAbove: failAbove === undefined ? known.failAbove : failAbove,
      opensFixes: change.open_fixes ?? known.opensFixes,
    };
    const found = differences(auditView(known), auditView(changed));
    if (!found) return changed;
    const { failAbove: failAboveNanos, ...rest } = changed;
    await putSettings(tx, { orgId: actor.orgId, ...rest, failAboveNanos, changedAt: clock.now() });
    await recordAudit(tx, ctx, 'pull_requests.update', actor.orgId, found);
    return changed;
  });
}

function auditView({ isEnabled, failAbove, opensFixes }: PullRequestSettings): Record<string, unknown> {
  return {
    enabled: isEnabled,
    fail_above: failAbove === null ? null : formatNanos(failAbove),
    open_fixes: opensFixes,
  };
}

export function settingsView({ isEnabled, failAbove, opensFixes }: PullRequestSettings) {
  return { enabled: isEnabled, fail_above: usdOrNull(failAbove), open_fixes: opensFixes };
}

const shownComments = 20;

/** Latest first. */
export function listComments({ db, actor }: ReadContext): Promise<CommentRow[]> {
  return findComments(db, actor.orgId, shownComments);
}

export function commentView(comment: CommentRow) {
  return {
    ...apiFields(comment),
    pull_request: comment.number,
    error: comment.lastError,
    due_at: comment.status === 'due' ? comment.dueAt : null,
  };
}
