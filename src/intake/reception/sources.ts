import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import { notFound } from '../../platform/lib/errors.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { requireRoom } from '../../tenancy/organizations/organizations.ts';
import {
  countSources,
  deleteSourceRow,
  findSource,
  findSources,
  insertSource,
  type SourceRow,
} from './queries.ts';

const maxSources = 200;

export type Source = Omit<SourceRow, 'orgId' | 'secret'>;

export async function createSource(
  ctx: Context,
  input: { kind: string; name: string },
): Promise<{ source: Source; secret: string }> {
  const { actor, clock, db, vault } = ctx;
  const secret = randomBytes(32).toString('base64url');
  const source: Source = {
    id: newSourceId(actor.orgId),
    kind: input.kind,
    name: input.name,
    createdAt: clock.now(),
    lastEventAt: null,
  };
  await db.transaction().execute(async (tx) => {
    await requireRoom(tx, actor.orgId, {
      things: 'sources',
      max: maxSources,
      count: () => countSources(tx, actor.orgId),
      advice: 'Delete one first.',
    });
    await insertSource(tx, { ...source, orgId: actor.orgId, secret: vault.seal(secret) });
    await recordAudit(tx, ctx, 'source.create', source.id, { kind: source.kind, name: source.name });
  });
  return { source, secret };
}

export async function listSources({ db, actor }: Context): Promise<Source[]> {
  return (await findSources(db, actor.orgId)).map(({ orgId: _, secret: __, ...source }) => source);
}

export async function deleteSource(ctx: Context, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await deleteSourceRow(tx, ctx.actor.orgId, id))) throw notFound('source');
    await recordAudit(tx, ctx, 'source.delete', id);
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

/** The id contains the organization, because a provider's request has no token. */
function newSourceId(orgId: string): string {
  return `src_${orgId.replaceAll('-', '')}_${randomBytes(8).toString('hex')}`;
}

const idForm = /^src_(.{8})(.{4})(.{4})(.{4})(.{12})_[0-9a-f]{16}$/;

export function organizationOfSource(id: string): string | null {
  return /^src_[0-9a-f]{32}_/.test(id) && idForm.test(id) ? id.replace(idForm, '$1-$2-$3-$4-$5') : null;
}
