import { createPrivateKey } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { invalid, notFound, PublicError } from '../../platform/lib/errors.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { webhookProviders } from '../providers/providers.ts';
import { getSourceKind } from '../reception/sources.ts';
import { type BackfillContext, type BackfillProgram, badCredentials } from './backfill.ts';
import { createCircleCiClient, type CircleCiCredentials } from './circleCiClient.ts';
import type { GitHubCredentials } from './gitHubClient.ts';
import { credentialRows, type CredentialsRow, saveCredentials } from './queries.ts';

export type Credentials = GitHubCredentials | CircleCiCredentials;

/** With the others, backfills of GitHub cannot read. */
export const gitHubKinds: CredentialsRow['kind'][] = ['token', 'app'];

export function isForGitHub({ kind }: Pick<CredentialsRow, 'kind'>): boolean {
  return gitHubKinds.includes(kind);
}

export type ShownCredentials = Omit<CredentialsRow, 'orgId' | 'secret'>;

export type CredentialsContext = BackfillContext & { circleCiApiUrl: string };

/** Rejects credentials that the provider rejects; accepts them unchecked if it does not answer. */
export async function setCredentials(
  ctx: CredentialsContext,
  sourceId: string,
  credentials: Credentials,
): Promise<ShownCredentials> {
  await requireReading(ctx, sourceId, credentials.kind);
  if (credentials.kind === 'circleci') await checkCircleCi(ctx, credentials);
  else await checkGitHub(ctx, credentials);
  const row = await ctx.db
    .transaction()
    .execute((tx) => sealCredentials(tx, ctx, { sourceId, credentials, isPolled: false }));
  return shown(row);
}

export async function sealCredentials(
  tx: Transaction,
  ctx: Context,
  { sourceId, credentials, isPolled }: { sourceId: string; credentials: Credentials; isPolled: boolean },
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

async function requireReading(
  ctx: BackfillContext,
  sourceId: string,
  given: Credentials['kind'],
): Promise<void> {
  const kind = await getSourceKind(ctx, sourceId);
  const webhook = webhookProviders.find(({ id }) => id === kind)?.webhook;
  if (given === 'circleci') {
    if (webhook?.hasUsageData) return;
    throw new PublicError(
      'conflict',
      'not_circleci',
      'Usage data can only be read for CircleCI sources so far.',
    );
  }
  if (webhook?.hasBackfills) return;
  throw new PublicError('conflict', 'not_github', 'Backfills can only read GitHub sources so far.');
}

async function checkGitHub(ctx: BackfillContext, credentials: GitHubCredentials): Promise<void> {
  checkForm(credentials);
  const { createGitHubClient } = await import('./gitHubClient.ts');
  const answer = await createGitHubClient(ctx, credentials).check();
  if (answer.kind === 'unauthenticated') throw invalid(fieldOf(credentials), `is wrong. ${badCredentials}`);
}

async function checkCircleCi(ctx: CredentialsContext, credentials: CircleCiCredentials): Promise<void> {
  const answer = await createCircleCiClient(ctx, credentials).check();
  if (answer.kind === 'refused' && answer.status === 401)
    throw invalid('token', `is wrong. ${answer.message}`);
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

function hintOf(credentials: Credentials): string {
  if (credentials.kind !== 'app') return `…${credentials.token.slice(-4)}`;
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
  if (!row || !isForGitHub(row)) {
    const message = 'The source has no credentials. Set new ones and start again.';
    throw new PublicError('conflict', 'no_credentials', message);
  }
  return {
    credentials: JSON.parse(vault.open(row.secret)) as GitHubCredentials,
    version: `${key.orgId} ${key.sourceId} ${row.setAt.toISOString()}`,
  };
}

export async function listCircleCiSources(db: Database, orgId: string): Promise<string[]> {
  const rows = await credentialRows.list(db, { orgId, kind: 'circleci' }, 'setAt desc', 'sourceId');
  return rows.map(({ sourceId }) => sourceId);
}

export async function openCircleCiCredentials(
  { db, vault }: Pick<BackfillProgram, 'db' | 'vault'>,
  key: { orgId: string; sourceId: string },
): Promise<CircleCiCredentials> {
  const row = await credentialRows.find(db, key);
  if (row?.kind === 'circleci') return JSON.parse(vault.open(row.secret)) as CircleCiCredentials;
  const message = 'The source has no token of CircleCI any more. Set a new one and start again.';
  throw new PublicError('conflict', 'no_credentials', message);
}

type OpenedCredentials = { sourceId: string; credentials: GitHubCredentials };

/** For GitHub, latest first. */
export async function listCredentials(
  { db, vault }: Pick<BackfillProgram, 'db' | 'vault'>,
  orgId: string,
): Promise<OpenedCredentials[]> {
  const rows = await credentialRows.list(db, { orgId }, 'setAt desc', 'sourceId');
  return rows.filter(isForGitHub).map(({ sourceId, secret }) => ({
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
