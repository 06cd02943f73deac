import { isDeepStrictEqual } from 'node:util';
import type { Context, Program } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import type { Role } from '../../platform/lib/actor.ts';
import { apiFields, ourFields } from '../../platform/lib/apiFields.ts';
import { invalid, notFound, PublicError } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import {
  sharedTenantFault,
  type EnvironmentProvider,
  type SignInSettings,
} from '../../platform/lib/signInSettings.ts';
import { differences, recordAudit } from '../audit/audit.ts';
import { refuseHigherRole } from '../members/members.ts';
import {
  isDemo,
  listOrganizations,
  lockOrganization,
  requireRoom,
  type Organization,
} from '../organizations/organizations.ts';
import { endThese, isProviderRequired, saveSignInPolicy } from '../sessions/sessions.ts';
import type { Rules } from './decide.ts';
import { identitySessionRows, type ProviderRow, providerRows } from './queries.ts';
import type { GroupRole, ProviderKind } from './tables.ts';

export type Provider = Rules & {
  orgId: string;
  id: string;
  kind: ProviderKind;
  name: string;
  /** The issuer of OpenID Connect, or the address of a GitHub server. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  groupsClaim: string;
  /** Whether the environment sets it, so that it cannot change in Settings. */
  isFixed: boolean;
};

export type SignInProgram = Program & {
  signIn: SignInSettings;
  publicUrl: () => string;
  log: { warn: (fields: object, message: string) => void };
};
export type SignInContext = SignInProgram & Context;

const maxProviders = 20;

export async function listProviders(program: SignInProgram, orgId: string): Promise<Provider[]> {
  const own = await providerRows.list(program.db, { orgId }, 'createdAt', 'id');
  return [...(await environmentProviders(program, orgId)), ...own.map((row) => providerOf(program, row))];
}

export async function findProvider(
  program: SignInProgram,
  orgId: string,
  id: string,
): Promise<Provider | undefined> {
  return (await listProviders(program, orgId)).find((provider) => provider.id === id);
}

async function environmentProviders(program: SignInProgram, orgId: string): Promise<Provider[]> {
  const { providers } = program.signIn;
  if (providers.length === 0 || (await organizationOfSettings(program))?.orgId !== orgId) return [];
  return providers.map((provider: EnvironmentProvider) => ({ ...provider, orgId, isFixed: true }));
}

async function organizationOfSettings(program: SignInProgram): Promise<Organization | undefined> {
  const organizations = await listOrganizations(program);
  const { organization } = program.signIn;
  if (organization !== null) return named(organizations, organization);
  const own = organizations.filter((each) => !isDemo(each));
  return own.length === 1 ? own[0] : undefined;
}

/** The organization that a sign-in is for. Without a name, it is the only one, or the one in the settings. */
export async function organizationAsked(
  program: SignInProgram,
  asked: string | undefined,
): Promise<Organization | undefined> {
  if (asked === undefined) return organizationOfSettings(program);
  return named(await listOrganizations(program), asked);
}

/** Finds by id, then by login. Any admin may choose a login, so the oldest organization with it counts. */
function named(organizations: readonly Organization[], name: string): Organization | undefined {
  const is = (text: string | null) => text !== null && text.toLowerCase() === name.toLowerCase();
  return organizations.find(({ orgId }) => is(orgId)) ?? organizations.find(({ login }) => is(login));
}

function providerOf({ vault }: Pick<Program, 'vault'>, row: ProviderRow): Provider {
  const { createdAt: _, updatedAt: __, clientSecret, ...columns } = row;
  return { ...columns, clientSecret: vault.open(clientSecret), isFixed: false };
}

export type ProviderInput = {
  kind: ProviderKind;
  name: string;
  issuer: string;
  client_id: string;
  client_secret: string;
  allowed_domains: string[];
  default_role: Role | null;
  groups_claim: string;
  group_roles: GroupRole[];
};

type Checked = (provider: Provider) => Promise<void>;

export async function addProvider(
  ctx: SignInContext,
  input: ProviderInput,
  check: Checked,
): Promise<Provider> {
  const { actor, db, clock, vault } = ctx;
  const provider: Provider = { orgId: actor.orgId, id: randomId('idp'), ...fieldsOf(input), isFixed: false };
  refuseFaults(ctx, provider);
  await check(provider);
  const now = clock.now();
  await db.transaction().execute(async (tx) => {
    await requireRoom(tx, actor.orgId, {
      things: 'identity providers',
      max: maxProviders,
      count: () => providerRows.count(tx, { orgId: actor.orgId }),
      advice: 'Remove one first.',
    });
    await providerRows.insert(tx, { ...columnsOf(provider, vault), createdAt: now, updatedAt: now });
    await recordAudit(tx, ctx, 'identity_provider.create', provider.id, settingsOf(provider));
  });
  return provider;
}

/** If people now sign in elsewhere, the sessions of the provider end. */
export async function updateProvider(
  ctx: SignInContext,
  id: string,
  input: Partial<ProviderInput>,
  check: Checked,
): Promise<Provider> {
  const { actor, db } = ctx;
  for (;;) {
    const before = await requireOwn(ctx, id);
    const provider = changed(ctx, before, input);
    // Not inside the transaction, because an issuer may be slow.
    if (isOther(before, provider) || input.client_secret !== undefined) await check(provider);
    const isSaved = await db.transaction().execute(async (tx) => {
      await lockOrganization(tx, actor.orgId);
      const now = await requireOwn({ ...ctx, db: tx }, id);
      if (!isDeepStrictEqual(now, before)) return false;
      await saveChanges(tx, ctx, before, provider);
      return true;
    });
    if (isSaved) return provider;
  }
}

function changed(ctx: SignInContext, before: Provider, input: Partial<ProviderInput>): Provider {
  const { clientSecret, ...fields } = fieldsOf({ ...inputOf(before), ...input });
  const provider: Provider = { ...before, ...fields, clientSecret: input.client_secret ?? clientSecret };
  refuseFaults(ctx, provider);
  if (isElsewhere(before, provider) && input.client_secret === undefined)
    throw invalid('client_secret', 'is required with another issuer: the stored one is for the former');
  return provider;
}

function isElsewhere(before: Provider, { issuer, kind }: Provider): boolean {
  return issuer !== before.issuer || kind !== before.kind;
}

function isOther(before: Provider, provider: Provider): boolean {
  return isElsewhere(before, provider) || provider.clientId !== before.clientId;
}

async function saveChanges(
  tx: Transaction,
  ctx: SignInContext,
  before: Provider,
  provider: Provider,
): Promise<void> {
  const details = {
    ...differences(settingsOf(before), settingsOf(provider)),
    ...(provider.clientSecret !== before.clientSecret && { client_secret: 'changed' }),
  };
  if (Object.keys(details).length === 0) return;
  const columns = columnsOf(provider, ctx.vault);
  await providerRows.change(tx, provider, { ...columns, updatedAt: ctx.clock.now() });
  await recordAudit(tx, ctx, 'identity_provider.update', provider.id, details);
  if (isOther(before, provider)) await endSessionsOfProvider(tx, ctx, provider.id);
}

export async function removeProvider(ctx: SignInContext, id: string): Promise<void> {
  const { actor, db } = ctx;
  const { name } = await requireOwn(ctx, id);
  await db.transaction().execute(async (tx) => {
    await lockOrganization(tx, actor.orgId);
    const others = (await listProviders({ ...ctx, db: tx }, actor.orgId)).filter((each) => each.id !== id);
    if (others.length === 0 && (await isProviderRequired(tx, actor.orgId))) {
      const message = 'Members must sign in by this provider. Stop requiring single sign-on first.';
      throw new PublicError('conflict', 'single_sign_on_required', message);
    }
    await endSessionsOfProvider(tx, ctx, id);
    if (!(await providerRows.remove(tx, { orgId: actor.orgId, id }))) throw notFound('identity provider');
    await recordAudit(tx, ctx, 'identity_provider.delete', id, { name });
  });
}

async function endSessionsOfProvider(tx: Transaction, ctx: Context, id: string): Promise<void> {
  const sessions = await identitySessionRows.list(tx, { orgId: ctx.actor.orgId, providerId: id });
  await endThese(
    tx,
    ctx,
    sessions.map(({ sessionId }) => sessionId),
  );
}

/** Only an actor who signed in by a provider may require it, so that it is known to work. */
export async function requireProvider(ctx: Context, isRequired: boolean): Promise<void> {
  const { actor, db } = ctx;
  const { sessionId } = actor.identity;
  await db.transaction().execute(async (tx) => {
    await lockOrganization(tx, actor.orgId);
    const byProvider =
      sessionId !== null && (await identitySessionRows.find(tx, { orgId: actor.orgId, sessionId }));
    if (isRequired && !byProvider) {
      const message = 'Sign in by the provider yourself first, so that you know it works.';
      throw new PublicError('conflict', 'not_signed_in_by_provider', message);
    }
    if ((await isProviderRequired(tx, actor.orgId)) === isRequired) return;
    await saveSignInPolicy(tx, actor.orgId, isRequired);
    const details = { single_sign_on_required: isRequired };
    await recordAudit(tx, ctx, 'sign_in_policy.update', actor.orgId, {
      ...details,
      before: { single_sign_on_required: !isRequired },
    });
  });
}

async function requireOwn(ctx: SignInContext, id: string): Promise<Provider> {
  const provider = await findProvider(ctx, ctx.actor.orgId, id);
  if (!provider) throw notFound('identity provider');
  if (!provider.isFixed) return provider;
  const message = 'This provider is set by environment variables of the server. Change it there.';
  throw new PublicError('conflict', 'provider_is_fixed', message);
}

function refuseFaults({ egress, actor }: Context, provider: Provider): void {
  const fault = egress.faultOf(provider.issuer) ?? sharedTenantFault(provider.issuer);
  if (fault) throw invalid('issuer', fault);
  const { search, hash } = new URL(provider.issuer);
  if (search || hash) throw invalid('issuer', 'must have no query and no #');
  const roles = [provider.defaultRole, ...provider.groupRoles.map(({ role }) => role)];
  for (const role of roles) if (role !== null) refuseHigherRole(actor, role);
}

function fieldsOf(input: ProviderInput) {
  const { kind, issuer, allowed_domains: domains } = input;
  return {
    ...ourFields(input),
    issuer: kind === 'github' ? issuer.replace(/\/+$/, '') : issuer,
    allowedDomains: domains.map((domain) => domain.toLowerCase()),
  };
}

function inputOf(provider: Provider): ProviderInput {
  return { ...settingsOf(provider), client_secret: provider.clientSecret };
}

/** Leaves out the secret. */
export function settingsOf(provider: Provider) {
  const { clientSecret: _, orgId: __, id: ___, isFixed: ____, ...settings } = provider;
  return apiFields(settings);
}

function columnsOf({ isFixed: _, ...provider }: Provider, vault: Program['vault']) {
  return {
    ...provider,
    clientSecret: vault.seal(provider.clientSecret),
    groupRoles: JSON.stringify(provider.groupRoles),
  };
}
