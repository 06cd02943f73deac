import { PublicError, invalid } from '../../platform/lib/errors.ts';
import { gitHubPages } from '../../platform/lib/gitHubAddresses.ts';
import { newSecret } from '../../platform/lib/ids.ts';
import { isPublicAddress } from '../../platform/lib/publicAddress.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { hashSecret, secretMatches } from '../../tenancy/tokens/tokens.ts';
import type { BackfillContext } from '../backfills/backfill.ts';
import { openCredentials, sealCredentials } from '../backfills/credentials.ts';
import type { GitHubAnswer, GitHubCredentials } from '../backfills/gitHubClient.ts';
import { readInstalledRepositories } from '../backfills/installedRepositories.ts';
import { startBackfill } from '../backfills/startBackfill.ts';
import { addSource, getSourceKind, newSourceId, newSourceSecret } from '../reception/sources.ts';
import { isInstallation, isNewApp } from './answer.schema.ts';
import { formAddress, manifestOf, type Manifest } from './manifest.ts';
import { appRows, deleteAbandoned, type GitHubAppRow } from './queries.ts';

/** GitHub's codes are valid for an hour. */
const startedMilliseconds = 3_600_000;
/** Maximum number of repositories in a backfill. */
const maxRepositories = 100;
const firstBackfill = '30d';

export type GitHubAppContext = BackfillContext & { publicUrl: () => string };

export type StartedApp = { sourceId: string; formUrl: string; manifest: Manifest; expiresAt: Date };

/** The caller's browser posts the manifest to `formUrl` and returns with a code and the state. */
export async function startGitHubApp(
  ctx: GitHubAppContext,
  asked: {
    organization: string | null;
    isReachable?: boolean | undefined;
    mayComment?: boolean | undefined;
    mayOpenFixes?: boolean | undefined;
  },
): Promise<StartedApp> {
  const { actor, clock, db, gitHubApiUrl } = ctx;
  const { orgId } = actor;
  const publicUrl = ctx.publicUrl();
  const {
    organization,
    isReachable = isPublicAddress(publicUrl),
    mayComment = false,
    mayOpenFixes = false,
  } = asked;
  const sourceId = newSourceId(orgId);
  const secret = newSecret();
  const startedAt = clock.now();
  await db.transaction().execute(async (tx) => {
    await deleteAbandoned(tx, orgId, new Date(startedAt.getTime() - startedMilliseconds));
    const stateHash = hashSecret(secret);
    await appRows.insert(tx, { orgId, sourceId, stateHash, isReachable, startedBy: actor.name, startedAt });
    await recordAudit(tx, ctx, 'github_app.start', sourceId, { organization });
  });
  return {
    sourceId,
    formUrl: formAddress(gitHubPages(gitHubApiUrl), organization, `${sourceId}.${secret}`),
    manifest: manifestOf({
      owner: organization ?? '',
      publicUrl,
      sourceId,
      isReachable,
      mayComment,
      mayOpenFixes,
    }),
    expiresAt: new Date(startedAt.getTime() + startedMilliseconds),
  };
}

export type CreatedApp = { sourceId: string; installUrl: string };

/** Gets the new App's key and webhook secret from GitHub, and creates a source with them. */
export async function createGitHubApp(
  ctx: GitHubAppContext,
  { code, state }: { code: string; state: string },
): Promise<CreatedApp> {
  const { db, gitHubApiUrl, vault } = ctx;
  const row = await findStarted(ctx, state);
  const { createGitHubClient } = await import('../backfills/gitHubClient.ts');
  const answer = await createGitHubClient(ctx, null).convertManifest(code);
  const app = requireAnswer(answer, linkEnded);
  if (!isNewApp(app) || new URL(app.html_url).origin !== new URL(gitHubPages(gitHubApiUrl)).origin)
    throw unexpected('the new App');
  await db.transaction().execute(async (tx) => {
    const created = { appId: String(app.id), pageUrl: app.html_url, privateKey: vault.seal(app.pem) };
    const { stateHash } = row;
    // Another request may have been first.
    if (!(await appRows.change(tx, row, { stateHash: null, ...created }, { stateHash }))) throw linkEnded();
    await addSource(tx, ctx, {
      id: row.sourceId,
      kind: 'github',
      name: `GitHub of ${app.owner.login}`,
      secret: app.webhook_secret ?? newSourceSecret(),
    });
  });
  return { sourceId: row.sourceId, installUrl: `${app.html_url}/installations/new` };
}

async function findStarted({ actor, clock, db }: GitHubAppContext, state: string): Promise<GitHubAppRow> {
  const [sourceId = '', secret = ''] = state.split('.');
  const row = await appRows.find(db, { orgId: actor.orgId, sourceId });
  const isStarted = row?.stateHash && secretMatches(secret, row.stateHash);
  if (!isStarted || clock.now().getTime() - row.startedAt.getTime() >= startedMilliseconds) throw linkEnded();
  return row;
}

function linkEnded(): PublicError {
  const message =
    'This link from GitHub was already used, is older than an hour, or is for another organization. Start again.';
  return new PublicError('conflict', 'link_ended', message);
}

export type InstalledApp = {
  sourceId: string;
  isReachable: boolean;
  repositories: number;
  /** Null if there are no repositories. */
  backfillId: string | null;
};

/** Also starts a backfill of its last 30 days. Installing again does the same. */
export async function installGitHubApp(
  ctx: GitHubAppContext,
  { sourceId, installationId }: { sourceId: string; installationId: string },
): Promise<InstalledApp> {
  const row = await appRows.find(ctx.db, { orgId: ctx.actor.orgId, sourceId });
  if (!row?.appId) throw noSuchApp();
  await getSourceKind(ctx, sourceId); // The source may have been deleted meanwhile.
  const credentials: GitHubCredentials = {
    kind: 'app',
    appId: row.appId,
    installationId,
    privateKey: await openKey(ctx, row),
  };
  const { createGitHubClient } = await import('../backfills/gitHubClient.ts');
  const client = createGitHubClient(ctx, credentials);
  const answer = await client.getInstallation();
  const found = requireAnswer(answer, () =>
    invalid('installation_id', 'is not an installation of this App. Install it again.'),
  );
  if (!isInstallation(found)) throw unexpected('the installation');
  const named = await readInstalledRepositories(client, maxRepositories);
  if (named === null) throw unexpected('the repositories of the App');
  await ctx.db.transaction().execute(async (tx) => {
    await sealCredentials(tx, ctx, { sourceId, credentials, isPolled: !row.isReachable });
    await appRows.change(tx, row, { privateKey: null }, { stateHash: row.stateHash });
  });
  const { isReachable } = row;
  const repositories = named.length;
  if (repositories === 0) return { sourceId, isReachable, repositories, backfillId: null };
  const request = { sourceId, repositories: named, since: firstBackfill, joinsUnderWay: true };
  const backfill = await startBackfill(ctx, request);
  return { sourceId, isReachable, repositories, backfillId: backfill.id };
}

function noSuchApp(): PublicError {
  const message = 'This organization has no such GitHub App.';
  return new PublicError('not_found', 'github_app_not_found', message);
}

async function openKey(
  ctx: GitHubAppContext,
  { orgId, sourceId, privateKey }: GitHubAppRow,
): Promise<string> {
  if (privateKey) return ctx.vault.open(privateKey);
  const { credentials } = await openCredentials(ctx, { orgId, sourceId });
  if (credentials.kind === 'app') return credentials.privateKey;
  throw new PublicError(
    'conflict',
    'no_credentials',
    'The key of this App was replaced. Create another App.',
  );
}

function requireAnswer(answer: GitHubAnswer<unknown>, refused: () => PublicError): unknown {
  switch (answer.kind) {
    case 'data':
      return answer.data;
    case 'unauthenticated':
    case 'refused':
      throw refused();
    case 'wait':
      throw unavailable(`GitHub asks us to wait until ${answer.until.toISOString()}.`);
    case 'unreachable':
      throw unavailable(`GitHub cannot be reached: ${answer.message}. Try again.`);
    case 'unchanged':
      throw unexpected('nothing');
  }
}

function unexpected(what: string): PublicError {
  return unavailable(`GitHub described ${what} in a way that we cannot read. Is GITHUB_API_URL right?`);
}

function unavailable(message: string): PublicError {
  return new PublicError('unavailable', 'github_unavailable', message);
}
