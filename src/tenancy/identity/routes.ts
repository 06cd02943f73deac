import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { networkOf } from '../../platform/http/requests.ts';
import { dataOf, deletedOf, idParams, responses } from '../../platform/http/schemas.ts';
import { limitCalls } from '../../platform/lib/limitFailures.ts';
import { isProviderRequired } from '../sessions/sessions.ts';
import { redirectUri, refuseBadProvider, startInvited } from './enter.ts';
import {
  addProvider,
  listProviders,
  organizationAsked,
  removeProvider,
  requireProvider,
  updateProvider,
  type Provider,
  type SignInContext,
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
const admin = { access: { scope: 'admin', role: 'admin' } } as const;
/** Only owners, because a provider can make anybody an owner. */
const owner = { access: { scope: 'admin', role: 'owner' } } as const;
const tags = ['Single sign-on'];

/** Does not show the server's folders to strangers. */
type CommandLineFor = (request: FastifyRequest) => string;

export function identityRoutes(
  program: SignInProgram,
  commandLineFor: CommandLineFor,
): FastifyPluginCallbackTypebox {
  const contextOf = (request: FastifyRequest): SignInContext => ({ ...program, ...request.ctx });
  const check = (provider: Provider) => refuseBadProvider(program, provider);
  const viewOf = (provider: Provider) => providerView(program, provider);

  return (server, _options, done) => {
    server.get(
      '/identity-providers',
      {
        config: admin,
        schema: {
          tags,
          summary: 'List the identity providers',
          description: 'Providers from environment variables come first. Secrets are never returned.',
          response: responses(200, dataOf(Type.Array(ProviderSchema))),
        },
      },
      async (request) => {
        const providers = await listProviders(program, request.actor.orgId);
        return { data: providers.map(viewOf) };
      },
    );

    server.post(
      '/identity-providers',
      {
        config: owner,
        schema: {
          tags,
          summary: 'Add an identity provider',
          description:
            'Reads the description of an OpenID Connect issuer first, and refuses an issuer that has none.',
          body: NewProviderBody,
          response: responses(201, dataOf(ProviderSchema), [409]),
        },
      },
      async (request, reply) => {
        const defaults = {
          allowed_domains: [],
          default_role: 'viewer',
          groups_claim: 'groups',
          group_roles: [],
        };
        const input = { ...defaults, ...request.body } as Parameters<typeof addProvider>[1];
        const provider = await addProvider(contextOf(request), input, check);
        return reply.status(201).send({ data: viewOf(provider) });
      },
    );

    server.register(changeRoutes(program));
    server.register(policyRoutes(program, commandLineFor));
    server.register(invitedRoutes(program));
    done();
  };
}

function changeRoutes(program: SignInProgram): FastifyPluginCallbackTypebox {
  const contextOf = (request: FastifyRequest): SignInContext => ({ ...program, ...request.ctx });
  const check = (provider: Provider) => refuseBadProvider(program, provider);
  const viewOf = (provider: Provider) => providerView(program, provider);

  return (server, _options, done) => {
    server.put(
      '/identity-providers/:id',
      {
        config: owner,
        schema: {
          tags,
          summary: 'Change an identity provider',
          description:
            'Changes the fields that you send. Another issuer or client ends the sessions by this provider.',
          params,
          body: ProviderChangesBody,
          response: responses(200, dataOf(ProviderSchema), [404, 409]),
        },
      },
      async (request) => {
        const provider = await updateProvider(contextOf(request), request.params.id, request.body, check);
        return { data: viewOf(provider) };
      },
    );

    server.delete(
      '/identity-providers/:id',
      {
        config: owner,
        schema: {
          tags,
          summary: 'Remove an identity provider',
          description: 'Ends the sessions by this provider.',
          params,
          response: responses(200, dataOf(deletedOf('idp_4d1f0a9e7b3d4826f1a0')), [404, 409]),
        },
      },
      async (request) => {
        const { id } = request.params;
        await removeProvider(contextOf(request), id);
        return { data: { id, deleted: true as const } };
      },
    );
    done();
  };
}

function policyRoutes(program: SignInProgram, commandLineFor: CommandLineFor): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    const policyOf = async (orgId: string) => ({
      single_sign_on_required: await isProviderRequired(program.db, orgId),
    });

    server.get(
      '/sign-in-policy',
      {
        config: admin,
        schema: { tags, summary: 'Get how members sign in', response: responses(200, dataOf(PolicySchema)) },
      },
      async (request) => ({ data: await policyOf(request.actor.orgId) }),
    );

    server.put(
      '/sign-in-policy',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Require single sign-on',
          description:
            "Only a person who signed in by a provider can require it. After that, tokens and members' links no longer sign a browser in. Links from the command line still do.",
          body: PolicyBody,
          response: responses(200, dataOf(PolicySchema), [409]),
        },
      },
      async (request) => {
        await requireProvider(request.ctx, request.body.single_sign_on_required);
        return { data: await policyOf(request.actor.orgId) };
      },
    );

    server.get(
      '/sign-in-options',
      {
        config: { access: 'public' },
        schema: {
          tags,
          summary: 'Get the ways to sign in',
          description: 'For the sign-in page. An unknown organization has none.',
          security: [],
          querystring: OptionsQuery,
          response: responses(200, dataOf(OptionsSchema)),
        },
      },
      async (request) => {
        const { org } = request.query;
        const organization = await organizationAsked(program, org);
        const providers = organization ? await listProviders(program, organization.orgId) : [];
        const required = organization
          ? await policyOf(organization.orgId)
          : { single_sign_on_required: false };
        return {
          data: {
            providers: providers.map((provider) => optionView(provider, org)),
            ...required,
            command_line: commandLineFor(request),
          },
        };
      },
    );
    done();
  };
}

function invitedRoutes(program: SignInProgram): FastifyPluginCallbackTypebox {
  const started = limitCalls(program.clock, maxStarts, 'sign-ins from your address');

  return (server, _options, done) => {
    server.post(
      '/invitation/sign-in',
      {
        config: { access: 'public' },
        schema: {
          tags,
          summary: 'Accept an invitation by single sign-on',
          description:
            'Begins a sign-in at an identity provider of the organization: sets the cookie `runcost_sign_in` and returns where to send the browser. A person who proves the invited address there becomes a member. A link without an address accepts any.',
          security: [],
          body: InvitedBody,
          response: responses(200, dataOf(StartedSchema), [401, 404, 429]),
        },
      },
      async (request, reply) => {
        started(networkOf(request));
        const { address, sealed } = await startInvited(program, request.body);
        setAttemptCookie(reply, program, sealed);
        return reply.header('cache-control', 'no-store').send({ data: { address } });
      },
    );
    done();
  };
}

function optionView({ id, name, kind }: Provider, org: string | undefined) {
  const query = new URLSearchParams({ provider: id, ...(org !== undefined && { org }) });
  return { id, name, kind, address: `/sign-in/start?${query.toString()}` };
}

function providerView(program: SignInProgram, provider: Provider) {
  const { id, kind, name, issuer, clientId, allowedDomains, defaultRole, groupsClaim, groupRoles } = provider;
  return {
    id,
    kind,
    name,
    issuer,
    client_id: clientId,
    allowed_domains: allowedDomains,
    default_role: defaultRole,
    groups_claim: groupsClaim,
    group_roles: groupRoles,
    is_fixed: provider.isFixed,
    redirect_uri: redirectUri(program, provider.orgId),
  };
}
