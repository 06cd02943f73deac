import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import { networkOf } from '../../platform/http/requests.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { deletes, type Http, type VerbContext, verbsWith } from '../../platform/http/verbs.ts';
import { limitCalls } from '../../platform/lib/limitFailures.ts';
import { isProviderRequired } from '../sessions/sessions.ts';
import { redirectUri, refuseBadProvider, startInvited } from './enter.ts';
import {
  addProvider,
  listProviders,
  organizationAsked,
  removeProvider,
  requireProvider,
  settingsOf,
  updateProvider,
  type Provider,
  type SignInProgram,
} from './providers.ts';
import {
  NewProviderBody,
  InvitedBody,
  OptionsQuery,
  OptionsSchema,
  PolicyBody,
  PolicySchema,
  ProviderChangesBody,
  ProviderSchema,
  StartedSchema,
} from './schema.ts';
import { maxStarts, setAttemptCookie } from './signIn.routes.ts';

const params = idParams('idp_4d1f0a9e7b3d4826f1a0');

type IdentityProgram = SignInProgram &
  ReturnType<typeof identityProgram> & {
    /** Does not show the server's folders to strangers. */
    commandLineFor: (request: Http['request']) => string;
  };

export function identityProgram({ clock }: Program) {
  return { countStart: limitCalls(clock, maxStarts, 'sign-ins from your address') };
}

const tag = 'Single sign-on';
const admin = { tag, access: { scope: 'admin', role: 'admin' } } as const;
/** Only owners, because a provider can make anybody an owner. */
const owner = { tag, access: { scope: 'admin', role: 'owner' } } as const;
const anybody = { tag, access: 'public' } as const;

const verb = verbsWith<VerbContext & IdentityProgram>();

export const identityVerbs = [
  verb({
    ...admin,
    name: 'identity-provider list',
    at: 'GET /identity-providers',
    title: 'List the identity providers',
    description: 'Providers from environment variables come first. Secrets are never returned.',
    answer: Type.Array(ProviderSchema),
    run: async (ctx) =>
      (await listProviders(ctx, ctx.actor.orgId)).map((provider) => providerView(ctx, provider)),
  }),
  verb({
    ...owner,
    name: 'identity-provider create',
    at: 'POST /identity-providers',
    title: 'Add an identity provider',
    description:
      'Reads the description of an OpenID Connect issuer first, and refuses an issuer that has none.',
    body: NewProviderBody,
    status: 201,
    answer: ProviderSchema,
    faults: [409],
    run: async (ctx, { body }) => {
      const defaults = {
        allowed_domains: [],
        default_role: 'viewer',
        groups_claim: 'groups',
        group_roles: [],
      };
      const input = { ...defaults, ...body } as Parameters<typeof addProvider>[1];
      return providerView(ctx, await addProvider(ctx, input, checkWith(ctx)));
    },
  }),
  verb({
    ...owner,
    name: 'identity-provider update',
    at: 'PUT /identity-providers/:id',
    title: 'Change an identity provider',
    description:
      'Changes the fields that you send. Another issuer or client ends the sessions by this provider.',
    params,
    body: ProviderChangesBody,
    answer: ProviderSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id }, body }) =>
      providerView(ctx, await updateProvider(ctx, id, body, checkWith(ctx))),
  }),
  verb({
    ...owner,
    name: 'identity-provider delete',
    at: 'DELETE /identity-providers/:id',
    title: 'Remove an identity provider',
    description: 'Ends the sessions by this provider.',
    ...deletes('idp_4d1f0a9e7b3d4826f1a0', removeProvider),
    faults: [404, 409],
  }),
  verb({
    ...admin,
    name: 'sign-in-policy get',
    at: 'GET /sign-in-policy',
    title: 'Get how members sign in',
    answer: PolicySchema,
    run: (ctx) => policyOf(ctx, ctx.actor.orgId),
  }),
  verb({
    ...admin,
    name: 'sign-in-policy update',
    at: 'PUT /sign-in-policy',
    title: 'Require single sign-on',
    description:
      "Only a person who signed in by a provider can require it. After that, tokens and members' links no longer sign a browser in. Links from the command line still do.",
    body: PolicyBody,
    answer: PolicySchema,
    faults: [409],
    run: async (ctx, { body }) => {
      await requireProvider(ctx, body.single_sign_on_required);
      return policyOf(ctx, ctx.actor.orgId);
    },
  }),
  verb({
    ...anybody,
    name: 'sign-in-option list',
    at: 'GET /sign-in-options',
    title: 'Get the ways to sign in',
    description: 'For the sign-in page. An unknown organization has none.',
    query: OptionsQuery,
    answer: OptionsSchema,
    run: async (ctx, { query: { org } }, { request }) => {
      const organization = await organizationAsked(ctx, org);
      const providers = organization ? await listProviders(ctx, organization.orgId) : [];
      const required = organization
        ? await policyOf(ctx, organization.orgId)
        : { single_sign_on_required: false };
      return {
        providers: providers.map((provider) => optionView(provider, org)),
        ...required,
        command_line: ctx.commandLineFor(request),
      };
    },
  }),
  verb({
    ...anybody,
    name: 'invitation sign-in',
    at: 'POST /invitation/sign-in',
    title: 'Accept an invitation by single sign-on',
    description:
      'Begins a sign-in at an identity provider of the organization: sets the cookie `runcost_sign_in` and returns where to send the browser. A person who proves the invited address there becomes a member. A link without an address accepts any.',
    body: InvitedBody,
    answer: StartedSchema,
    faults: [401, 404, 429],
    run: async (ctx, { body }, { request, reply }) => {
      ctx.countStart(networkOf(request));
      const { address, sealed } = await startInvited(ctx, body);
      setAttemptCookie(reply, ctx, sealed);
      reply.header('cache-control', 'no-store');
      return { address };
    },
  }),
];

function checkWith(program: SignInProgram) {
  return (provider: Provider) => refuseBadProvider(program, provider);
}

async function policyOf({ db }: SignInProgram, orgId: string) {
  return { single_sign_on_required: await isProviderRequired(db, orgId) };
}

function optionView({ id, name, kind }: Provider, org: string | undefined) {
  const query = new URLSearchParams({ provider: id, ...(org !== undefined && { org }) });
  return { id, name, kind, address: `/sign-in/start?${query.toString()}` };
}

function providerView(program: SignInProgram, provider: Provider) {
  return {
    id: provider.id,
    ...settingsOf(provider),
    is_fixed: provider.isFixed,
    redirect_uri: redirectUri(program, provider.orgId),
  };
}
