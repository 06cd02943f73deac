import { randomBytes } from 'node:crypto';
import type { Context, Program } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { notFound } from '../../platform/lib/errors.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { requireRoom } from '../../tenancy/organizations/organizations.ts';
import { deleteSourceRow, findSource, findSources, type SourceRow, sourceRows } from './queries.ts';

const maxSources = 200;

export type Source = Omit<SourceRow, 'orgId' | 'secret'>;

/** `hasAppKey` is also true if a person set the key of an App that Runcost did not create. */
export type ListedSource = Source & {
  app: { pageUrl: string; startedBy: string } | null;
  hasCredentials: boolean;
  hasAppKey: boolean;
};

export async function createSource(
  ctx: Context,
  input: { kind: string; name: string },
): Promise<{ source: Source; secret: string }> {
  const id = newSourceId(ctx.actor.orgId);
  const secret = newSourceSecret();
  const source = await ctx.db.transaction().execute((tx) => addSource(tx, ctx, { ...input, id, secret }));
  return { source, secret };
}

export async function addSource(
  tx: Transaction,
  ctx: Context,
  { id, kind, name, secret }: { id: string; kind: string; name: string; secret: string },
): Promise<Source> {
  const { actor, clock, vault } = ctx;
  const source: Source = { id, kind, name, createdAt: clock.now(), lastEventAt: null };
  await requireRoom(tx, actor.orgId, {
    things: 'sources',
    max: maxSources,
    count: () => sourceRows.count(tx, { orgId: actor.orgId }),
    advice: 'Delete one first.',
  });
  await sourceRows.insert(tx, { ...source, orgId: actor.orgId, secret: vault.seal(secret) });
  await recordAudit(tx, ctx, 'source.create', id, { kind, name });
  return source;
}

export function newSourceSecret(): string {
  return randomBytes(32).toString('base64url');
}

export async function listSources({ db, actor }: Context): Promise<ListedSource[]> {
  return (await findSources(db, actor.orgId)).map(
    ({ orgId: _, secret: __, appPageUrl: pageUrl, appStartedBy: startedBy, credentialsKind, ...source }) => ({
      ...source,
      hasCredentials: credentialsKind !== null,
      hasAppKey: credentialsKind === 'app',
      app: pageUrl !== null && startedBy !== null ? { pageUrl, startedBy } : null,
    }),
  );
}

export async function deleteSource(ctx: Context, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const deleted = await deleteSourceRow(tx, ctx.actor.orgId, id);
    if (!deleted) throw notFound('source');
    await recordAudit(tx, ctx, 'source.delete', id, deleted);
  });
}

export async function getSourceKind(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  id: string,
): Promise<string> {
  const source = await findSource(db, actor.orgId, id);
  if (!source) throw notFound('source');
  return source.kind;
}

/** Null for a source that does not exist, or has another kind. */
export async function findSourceSecret(
  { db, actor, vault }: Context,
  id: string,
  kind: string,
): Promise<string | null> {
  const source = await findSource(db, actor.orgId, id);
  return source?.kind === kind ? vault.open(source.secret) : null;
}

export async function noteEvent({ db, clock }: Program, orgId: string, id: string): Promise<void> {
  await sourceRows.change(db, { orgId, id }, { lastEventAt: clock.now() });
}

/** The id contains the organization, because a provider's request has no token. */
export function newSourceId(orgId: string): string {
  return `src_${orgId.replaceAll('-', '')}_${randomBytes(8).toString('hex')}`;
}

const idForm = /^src_(.{8})(.{4})(.{4})(.{4})(.{12})_[0-9a-f]{16}$/;

export function organizationOfSource(id: string): string | null {
  return /^src_[0-9a-f]{32}_/.test(id) && idForm.test(id) ? id.replace(idForm, '$1-$2-$3-$4-$5') : null;
}
