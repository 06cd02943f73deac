import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { hasRole, type Actor } from '../../platform/lib/actor.ts';
import { notFound, PublicError, nameTaken } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { compare } from '../../platform/lib/lists.ts';
import { looksOf } from '../../platform/lib/text.ts';
import { differences, recordAudit } from '../../tenancy/audit/audit.ts';
import { authorOf, isAuthor, type Author } from '../../tenancy/members/members.ts';
import { lockOrganization } from '../../tenancy/organizations/organizations.ts';
import { type SavedViewRow, viewRows } from './queries.ts';

export type SavedView = SavedViewRow & { canChange: boolean };

export async function listViews({ db, actor }: Pick<Context, 'db' | 'actor'>): Promise<SavedView[]> {
  const views = await viewRows.list(db, { orgId: actor.orgId });
  return views
    .filter((view) => isVisible(actor, view))
    .map((view) => shownTo(actor, view))
    .toSorted((a, b) => compare(a.name.toLowerCase(), b.name.toLowerCase()) || compare(a.id, b.id));
}

export type ViewInput = { name: string; query: string; is_shared?: boolean };

/** A limit per author, because only authors can delete views that are not shared. */
const maxViewsOfAuthor = 200;

export async function addView(ctx: Context, input: ViewInput): Promise<SavedView> {
  const { db, actor, clock } = ctx;
  const now = clock.now();
  const { name, query, is_shared: isShared = false } = input;
  if (isShared) requireSharing(actor);
  return db.transaction().execute(async (tx) => {
    const author = await authorOf(tx, actor);
    await requireRoomFor(tx, actor.orgId, author);
    await requireFreeName(tx, actor, name);
    const view: SavedViewRow = {
      orgId: actor.orgId,
      id: randomId('view'),
      name,
      query,
      isShared,
      ...author,
      createdAt: now,
      updatedAt: now,
    };
    await viewRows.insert(tx, view);
    await recordAudit(tx, ctx, 'view.create', view.id, namedByTheApi(view));
    return shownTo(actor, view);
  });
}

export async function updateView(ctx: Context, id: string, changes: Partial<ViewInput>): Promise<SavedView> {
  const { db, actor, clock } = ctx;
  return db.transaction().execute(async (tx) => {
    const before = await viewToChange(tx, actor, id);
    const { name = before.name, query = before.query, is_shared: isShared = before.isShared } = changes;
    if (isShared) requireSharing(actor);
    const view = { ...before, name, query, isShared };
    if (name !== before.name || (isShared && !before.isShared)) {
      await lockOrganization(tx, actor.orgId);
      await requireFreeName(tx, actor, name, id);
    }
    const details = differences(namedByTheApi(before), namedByTheApi(view));
    if (!details) return shownTo(actor, before);
    const changed = { ...view, updatedAt: clock.now() };
    await viewRows.change(tx, before, changed);
    await recordAudit(tx, ctx, 'view.update', id, details);
    return shownTo(actor, changed);
  });
}

export async function deleteView(ctx: Context, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const view = await viewToChange(tx, ctx.actor, id);
    await viewRows.remove(tx, view);
    await recordAudit(tx, ctx, 'view.delete', id, namedByTheApi(view));
  });
}

async function requireRoomFor(tx: Transaction, orgId: string, author: Author): Promise<void> {
  await lockOrganization(tx, orgId);
  const { memberId } = author;
  const ofAuthor = memberId === null ? author : { memberId };
  if ((await viewRows.count(tx, { orgId, ...ofAuthor })) < maxViewsOfAuthor) return;
  const message = `You can save at most ${maxViewsOfAuthor} views. Delete some first.`;
  throw new PublicError('conflict', 'too_many_views', message);
}

/** With two equal names, nobody would know which view to open. Names that the caller cannot see are not revealed. */
async function requireFreeName(tx: Transaction, actor: Actor, name: string, own?: string): Promise<void> {
  const isSame = (view: SavedViewRow) =>
    view.id !== own && isVisible(actor, view) && looksOf(view.name) === looksOf(name);
  if (!(await viewRows.list(tx, { orgId: actor.orgId })).some(isSame)) return;
  throw nameTaken(
    'view_name_taken',
    `There is a view “${name}” already. Choose another name.`,
    'belongs to another view',
  );
}

function namedByTheApi({ name, query, isShared }: Pick<SavedViewRow, 'name' | 'query' | 'isShared'>) {
  return { name, query, is_shared: isShared };
}

function shownTo(actor: Actor, view: SavedViewRow): SavedView {
  return { ...view, canChange: mayChange(actor, view) };
}

function requireSharing(actor: Actor): void {
  if (hasRole(actor.role, 'member')) return;
  const message = 'Only members, admins and owners can share a view or change a shared one.';
  throw new PublicError('forbidden', 'sharing_needs_member', message);
}

async function viewToChange(tx: Transaction, actor: Actor, id: string): Promise<SavedViewRow> {
  const view = await viewRows.lock(tx, { orgId: actor.orgId, id });
  if (!view || !isVisible(actor, view)) throw notFound('view');
  if (view.isShared) requireSharing(actor);
  if (mayChange(actor, view)) return view;
  const message = 'Only its author, an admin or an owner can change this view.';
  throw new PublicError('forbidden', 'not_your_view', message);
}

function isVisible(actor: Actor, view: SavedViewRow): boolean {
  return view.isShared || isAuthor(actor, view);
}

function mayChange(actor: Actor, view: SavedViewRow): boolean {
  if (view.isShared && !hasRole(actor.role, 'member')) return false;
  return isAuthor(actor, view) || hasRole(actor.role, 'admin');
}
