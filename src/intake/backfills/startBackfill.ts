import type { Transaction } from '../../platform/db/database.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import { invalid, PublicError } from '../../platform/lib/errors.ts';
import type { Page } from '../../platform/lib/page.ts';
import { addTask, cancelTask, getTask, listTasks } from '../../platform/work/tasks.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { backfillKind, startOf, type Backfill, type BackfillInput, type BackfillState } from './backfill.ts';
import type { BackfillContext } from './context.ts';
import { findCredentials, findOrganizationCredentials } from './queries.ts';
import { sliceBetween } from './slices.ts';
import { readSpan } from './span.ts';

export type BackfillRequest = {
  sourceId?: string | undefined;
  repositories: string[];
  since: string;
  until?: string | undefined;
  /** In place of a source's credentials, for this once. */
  token?: string | undefined;
};

/** Begins to bring in the runs of repositories. `path` is where its fields stand in errors: `body.` or `--`. */
export async function startBackfill(
  ctx: BackfillContext,
  request: BackfillRequest,
  path: 'body.' | '--' = 'body.',
): Promise<Backfill> {
  const { actor, clock, db, vault } = ctx;
  const { since, until } = readSpan(request, { now: clock.now(), path });
  const sourceId = request.token === undefined ? await chooseSource(ctx, request.sourceId, path) : null;
  const input: BackfillInput = {
    sourceId,
    repositories: withoutRepeats(request.repositories),
    since: since.toISOString(),
    until: until.toISOString(),
    isNightly: false,
  };
  const sealed = request.token === undefined ? null : vault.seal(request.token).toString('base64');
  return db.transaction().execute(async (tx) => {
    const task = await addBackfill(tx, clock, actor.orgId, input, sealed);
    const { repositories } = input;
    await recordAudit(tx, ctx, 'backfill.start', task.id, { repositories, since, until });
    return task;
  });
}

/** Adds the task of a backfill, which reads the older slices last. */
export function addBackfill(
  tx: Transaction,
  clock: Clock,
  orgId: string,
  input: BackfillInput,
  sealedToken: string | null,
  older: BackfillState['uncounted'] = [],
): Promise<Backfill> {
  const span = sliceBetween(new Date(input.since), new Date(input.until));
  const asked = input.repositories.map((_, repository) => ({ repository, ...span }));
  const state: BackfillState = {
    uncounted: [...asked, ...older].toReversed(),
    slices: [],
    next: startOf(0),
    problems: [],
    ...{ wait: null, failures: 0, sealedToken },
  };
  return addTask(tx, clock, backfillKind, { orgId, input, state });
}

/** GitHub takes names in any case for one. */
function withoutRepeats(repositories: string[]): string[] {
  return [...new Map(repositories.map((name) => [name.toLowerCase(), name])).values()];
}

async function chooseSource(
  { actor: { orgId }, db }: BackfillContext,
  asked: string | undefined,
  path: string,
): Promise<string> {
  const field = path === '--' ? '--source' : `${path}source_id`;
  if (asked !== undefined) {
    if (await findCredentials(db, { orgId, sourceId: asked })) return asked;
    throw invalid(field, `names no source with credentials. ${howToSet}`);
  }
  const [only, ...others] = await findOrganizationCredentials(db, orgId);
  if (only && others.length === 0) return only.sourceId;
  const alternative = path === '--' ? ' Or set GITHUB_TOKEN for this once.' : '';
  throw invalid(
    field,
    only ? 'is required: several sources have credentials' : `is missing. ${howToSet}${alternative}`,
  );
}

const howToSet =
  'Give a source a token or a GitHub App: PUT /api/v1/sources/{id}/credentials, or Settings, Sources.';

/** Throws `not_found` for an id that is none of the organization's. */
export function getBackfill({ actor: { orgId }, db }: BackfillContext, id: string): Promise<Backfill> {
  return getTask<BackfillInput, BackfillState>(db, backfillKind, { orgId, id });
}

/** A page of the backfills, newest first, and how many there are. */
export async function listBackfills(
  { actor: { orgId }, db }: BackfillContext,
  page: Page,
): Promise<{ backfills: Backfill[]; total: number }> {
  const { tasks, total } = await listTasks<BackfillInput, BackfillState>(db, backfillKind, {
    orgId,
    ...page,
  });
  return { backfills: tasks, total };
}

/** Ends a backfill before its time; the runs it has brought in stay. Throws `conflict` when it has ended. */
export function cancelBackfill(ctx: BackfillContext, id: string): Promise<Backfill> {
  const { actor, clock, db } = ctx;
  return db.transaction().execute(async (tx) => {
    const key = { orgId: actor.orgId, id };
    const task = await cancelTask<BackfillInput, BackfillState>(tx, clock, backfillKind, key);
    await recordAudit(tx, ctx, 'backfill.cancel', id);
    return task;
  });
}

/** The error of a backfill that could read none of its repositories. */
export function allRefused(messages: string[]): PublicError {
  const [first, second, ...others] = messages;
  const more = others.length > 0 ? ` And ${others.length} more.` : '';
  const text = [first, second].filter((message) => message !== undefined).join(' ');
  return new PublicError('unavailable', 'refused', `${text}${more}`);
}
