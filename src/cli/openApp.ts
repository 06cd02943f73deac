import { pino } from 'pino';
import { createApp, type App } from '../app.ts';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { cliActor } from '../platform/lib/actor.ts';
import { invalid, PublicError } from '../platform/lib/errors.ts';
import { isUuid } from '../platform/lib/ids.ts';
import { listOrganizations } from '../tenancy/organizations/organizations.ts';

/**
 * Runs a command's work with the database open: the running server's where there is one, else the folder's own. A
 * `logged` command logs to standard error as the server does.
 */
export async function withApp(
  command: string,
  work: (app: App) => Promise<void>,
  { logged = false }: { logged?: boolean } = {},
): Promise<void> {
  const options = { command, mayJoin: true, ...(logged ? {} : { log: pino({ level: 'silent' }) }) };
  const app = await createApp(readConfig(), options);
  try {
    await Promise.race([work(app), app.databaseFailed]);
  } finally {
    await app.close();
  }
}

/** The option that commands about one organization have. */
export const orgOption = ['--org <id>', 'organization; may be left out while there is one only'] as const;

/** The context of a command for `--org`; without it, the one organization there is. */
export async function contextFor(app: App, orgId: string | undefined): Promise<Context> {
  const organizations = await listOrganizations(app);
  if (orgId === undefined) {
    const [only, ...others] = organizations;
    if (only && others.length === 0) return { ...app, actor: cliActor(only.orgId) };
    throw invalid(
      '--org',
      only
        ? 'is required: there are several organizations (org list)'
        : 'names none yet: create one with org create --name NAME',
    );
  }
  if (!isUuid(orgId)) throw invalid('--org', 'must be a UUID; `org list` shows them');
  if (!organizations.some((organization) => organization.orgId === orgId.toLowerCase())) {
    throw new PublicError(
      'not_found',
      'organization_not_found',
      `There is no organization ${orgId}; \`org list\` shows them.`,
    );
  }
  return { ...app, actor: cliActor(orgId.toLowerCase()) };
}
