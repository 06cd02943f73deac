import { createPrivateKey } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { invalid, notFound, PublicError } from '../../platform/lib/errors.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { webhookProviders } from '../providers/providers.ts';
import { getSourceKind } from '../reception/sources.ts';
import { type BackfillContext, type BackfillProgram, badCredentials } from './backfill.ts';
import type { GitHubCredentials } from './gitHubClient.ts';
import { credentialRows, type CredentialsRow, saveCredentials } from './queries.ts';

export type ShownCredentials = Omit<CredentialsRow, 'orgId' | 'secret'>;

/** Rejects credentials that GitHub rejects; accepts them unchecked if GitHub does not answer. */
export async function setCredentials(
  ctx: BackfillContext,
  sourceId: string,
  credentials: GitHubCredentials,
): Promise<ShownCredentials> {
  await requireBackfills(ctx, sourceId);
  checkForm(credentials);
  const { createGitHubClient } = await import('./gitHubClient.ts');
  const answer = await createGitHubClient(ctx, credentials).check();
  if (answer.kind === 'unauthenticated') throw invalid(fieldOf(credentials), `is wrong. ${badCredentials}`);
  const row = await ctx.db
    .transaction()
    .execute((tx) => sealCredentials(tx, ctx, { sourceId, credentials, isPolled: false }));
  return shown(row);
}

export async function sealCredentials(
  tx: Transaction,
  ctx: Context,
  {
    sourceId,
    credentials,
    isPolled,
  }: { sourceId: string; credentials: GitHubCredentials; isPolled: boolean },
): Promise<CredentialsRow> {
  const { actor, clock, vault } = ctx;
  const { kind } = credentials;
  await recordAudit(tx, ctx, 'source.set_credentials', sourceId, { kind });
  return saveCredentials(tx, {
    orgId: actor.orgId,
    sourceId,
    kind,
    hint: hintOf(credentials),
    secret: vault.seal(JSON.stringify(credentials)),
    setBy: actor.name,
    setAt: clock.now(),
    checkedAt: null,
    isPolled,
  });
}

async function requireBackfills(ctx: BackfillContext, sourceId: string): Promise<void> {
  const kind = await getSourceKind(ctx, sourceId);
  if (webhookProviders.find(({ id }) => id === kind)?.webhook.hasBackfills) return;
  throw new PublicError('conflict', 'not_github', 'Backfills can only read GitHub sources so far.');
}

function checkForm(credentials: GitHubCredentials): void {
  if (credentials.kind === 'token') return;
  try {
    if (createPrivateKey(credentials.privateKey).asymmetricKeyType === 'rsa') return;
  } catch {
    // The error follows.
  }
  throw invalid('private_key', 'must be the RSA key in PEM that GitHub generated for the App');
}

function fieldOf({ kind }: GitHubCredentials): string {
  return kind === 'token' ? 'token' : 'private_key';
}

function hintOf(credentials: GitHubCredentials): string {
  if (credentials.kind === 'token') return `…${credentials.token.slice(-4)}`;
  return `App ${credentials.appId}, installation ${credentials.installationId}`;
}

export async function getCredentials(
  ctx: BackfillContext,
  sourceId: string,
): Promise<ShownCredentials | null> {
  await getSourceKind(ctx, sourceId);
  const row = await credentialRows.find(ctx.db, { orgId: ctx.actor.orgId, sourceId });
  return row ? shown(row) : null;
}

/** A running backfill that uses them fails at its next step. */
export async function deleteCredentials(ctx: BackfillContext, sourceId: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await credentialRows.remove(tx, { orgId: ctx.actor.orgId, sourceId })))
      throw notFound('credentials');
    await recordAudit(tx, ctx, 'source.delete_credentials', sourceId);
  });
}

function shown({ orgId: _, secret: __, ...row }: CredentialsRow): ShownCredentials {
  return row;
}

/** `version` changes with the credentials. Throws `PublicError` if there are none. */
export async function openCredentials(
  { db, vault }: Pick<BackfillProgram, 'db' | 'vault'>,
  key: { orgId: string; sourceId: string },
): Promise<{ credentials: GitHubCredentials; version: string }> {
  const row = await credentialRows.find(db, key);
  if (!row) {
    const message = 'The source has no credentials. Set new ones and start another backfill.';
    throw new PublicError('conflict', 'no_credentials', message);
  }
  return {
    credentials: JSON.parse(vault.open(row.secret)) as GitHubCredentials,
    version: `${key.orgId} ${key.sourceId} ${row.setAt.toISOString()}`,
  };
}

type OpenedCredentials = { sourceId: string; credentials: GitHubCredentials };

/** Latest first. */
export async function listCredentials(
  { db, vault }: Pick<BackfillProgram, 'db' | 'vault'>,
  orgId: string,
): Promise<OpenedCredentials[]> {
  const rows = await credentialRows.list(db, { orgId }, 'setAt desc', 'sourceId');
  return rows.map(({ sourceId, secret }) => ({
    sourceId,
    credentials: JSON.parse(vault.open(secret)) as GitHubCredentials,
  }));
}

/** Of the organization's GitHub Apps. */
export async function listAppCredentials(
  program: Pick<BackfillProgram, 'db' | 'vault'>,
  orgId: string,
): Promise<OpenedCredentials[]> {
  return (await listCredentials(program, orgId)).filter(({ credentials }) => credentials.kind === 'app');
}
