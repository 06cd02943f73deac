import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import { setSessionCookie } from '../../platform/http/authenticate.ts';
import { clientOf, networkOf } from '../../platform/http/requests.ts';
import { dataOf, idParams, responses } from '../../platform/http/schemas.ts';
import { limitFailures } from '../../platform/lib/limitFailures.ts';
import { readSecret } from '../tokens/tokens.ts';
import { acceptInvitation, openInvitation } from './accept.ts';
import {
  defaultValidDays,
  invite,
  listInvitations,
  maxPerDay,
  resendInvitation,
  revokeInvitation,
  type Invitation,
  type Invited,
  type SendInvitation,
} from './invitations.ts';
import {
  AcceptBody,
  AcceptedSchema,
  InvitationSchema,
  InvitedSchema,
  NewInvitationBody,
  OpenBody,
  OpenedSchema,
  ResendBody,
  sampleId,
} from './schema.ts';

const params = idParams(sampleId);
const tags = ['Members'];
const admin = { access: { scope: 'admin', role: 'admin' } } as const;
const anybody = { access: 'public' } as const;
const maxFailures = 20;

type Settings = Program & { publicUrl: () => string; sendInvitation: SendInvitation };

export function invitationRoutes(program: Settings): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.addHook('onSend', (_request, reply, _payload, next) => {
      reply.header('cache-control', 'no-store');
      next();
    });

    server.get(
      '/invitations',
      {
        config: admin,
        schema: {
          tags,
          summary: 'List open invitations',
          description: 'Lists invitations that can still be accepted, newest first.',
          response: responses(200, dataOf(Type.Array(InvitationSchema))),
        },
      },
      async ({ ctx }) => ({ data: (await listInvitations(ctx)).map(invitationView) }),
    );

    server.post(
      '/invitations',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Invite somebody',
          description:
            'With an address and a mail server, Runcost emails the link and does not show it, so accepting it proves the address. Otherwise the response shows the link once. A link works once. It ends when it expires or is revoked, or when its author is removed or gets a lower role than the link gives. An organization can send ' +
            `${maxPerDay} invitations a day (UTC), with those sent again.`,
          body: NewInvitationBody,
          response: responses(201, dataOf(InvitedSchema), [409]),
        },
      },
      async (request, reply) => {
        const { email = null, role, valid_days: validDays = defaultValidDays, send_email } = request.body;
        const byMail = goesByMail(program, send_email, email);
        const invited = await invite(contextOf(program, request), { email, role, validDays, byMail });
        return reply.status(201).send({ data: invitedView(invited) });
      },
    );

    server.register(changeRoutes(program));
    server.register(acceptRoutes(program));
    done();
  };
}

function contextOf({ publicUrl, sendInvitation }: Settings, { ctx, log }: FastifyRequest) {
  return { ...ctx, publicUrl, sendInvitation, log };
}

function goesByMail(
  { sendInvitation }: Settings,
  asked: boolean | undefined,
  email: string | null | undefined,
) {
  return asked ?? (typeof email === 'string' && sendInvitation !== null);
}

function changeRoutes(program: Settings): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.post(
      '/invitations/:id/resend',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Send an invitation again',
          description: 'Creates a new link, by email or shown once. The former link no longer works.',
          params,
          body: ResendBody,
          response: responses(200, dataOf(InvitedSchema), [404, 409]),
        },
      },
      async (request) => {
        const { id } = request.params;
        const { valid_days: validDays = defaultValidDays, send_email } = request.body;
        const known = (await listInvitations(request.ctx)).find((each) => each.id === id);
        const options = { validDays, byMail: goesByMail(program, send_email, known?.email) };
        return { data: invitedView(await resendInvitation(contextOf(program, request), id, options)) };
      },
    );

    server.delete(
      '/invitations/:id',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Revoke an invitation',
          description: 'Its link no longer works. A person who has accepted it stays a member.',
          params,
          response: responses(
            200,
            dataOf(Type.Object({ id: Type.String({ examples: [sampleId] }), revoked: Type.Literal(true) })),
            [404],
          ),
        },
      },
      async ({ ctx, params: { id } }) => {
        await revokeInvitation(ctx, id);
        return { data: { id, revoked: true as const } };
      },
    );
    done();
  };
}

function acceptRoutes(program: Settings): FastifyPluginCallbackTypebox {
  const attempt = limitFailures(program.clock, maxFailures);
  const attemptOf = (secret: string, address: string) => {
    const parts = readSecret('invitation', secret);
    return { address, credential: parts && `${parts.orgId} ${parts.id}` };
  };

  return (server, _options, done) => {
    server.post(
      '/invitation/open',
      {
        config: anybody,
        schema: {
          tags,
          summary: 'Show an invitation',
          description:
            'Shows anyone with the link the inviting person and organization. Changes nothing. A 401 says why a link no longer works.',
          security: [],
          body: OpenBody,
          response: responses(200, dataOf(OpenedSchema), [401, 429]),
        },
      },
      async (request) => {
        const { invitation } = request.body;
        const open = () => openInvitation(program, invitation);
        const opened = await attempt(attemptOf(invitation, networkOf(request)), open);
        const { organization, organizationId, role, author, expiresAt } = opened;
        return {
          data: {
            organization,
            organization_id: organizationId,
            role,
            invited_by: author,
            expires_at: expiresAt,
            email: opened.email,
            suggested_email: opened.suggestedEmail,
            is_member: opened.isMember,
            single_sign_on_required: opened.isProviderRequired,
          },
        };
      },
    );

    server.post(
      '/invitation/accept',
      {
        config: { ...anybody, startsSession: true },
        schema: {
          tags,
          summary: 'Accept an invitation',
          description:
            'Adds the member, unless the address of an emailed link already belongs to one, and signs in: sets the cookie `runcost_session`. If several requests accept it at once, one succeeds.',
          security: [],
          body: AcceptBody,
          response: responses(201, dataOf(AcceptedSchema), [401, 409, 429]),
        },
      },
      async (request, reply) => {
        const { invitation, email, name } = request.body;
        const client = clientOf(request);
        const accept = () => acceptInvitation(program, invitation, { ...client, email, name });
        const { text, signedIn } = await attempt(attemptOf(invitation, networkOf(request)), accept);
        const seconds = Math.ceil((signedIn.expiresAt.getTime() - program.clock.now().getTime()) / 1_000);
        setSessionCookie(reply, program.publicUrl(), { text, seconds });
        const { organization, member } = signedIn;
        const data = { organization_id: organization.id, organization: organization.name };
        return reply.status(201).send({ data: { ...data, email: member!.email } });
      },
    );
    done();
  };
}

function invitationView({ id, email, role, author, createdAt, expiresAt, ...mail }: Invitation) {
  return {
    id,
    email,
    role,
    sent_by_email: mail.isMailed,
    email_error: mail.mailError,
    invited_by: author,
    created_at: createdAt,
    expires_at: expiresAt,
  };
}

function invitedView({ invitation, link }: Invited) {
  return { ...invitationView(invitation), link };
}
