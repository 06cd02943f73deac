import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import { setSessionCookie } from '../../platform/http/authenticate.ts';
import { clientOf, networkOf } from '../../platform/http/requests.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
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
const maxFailures = 20;

type InvitationProgram = Program &
  ReturnType<typeof invitationProgram> & { publicUrl: () => string; sendInvitation: SendInvitation };

export function invitationProgram({ clock }: Program) {
  return { tryInvitation: limitFailures(clock, maxFailures) };
}

const common = { tag: 'Members', isNeverStored: true } as const;
const admin = { ...common, access: { scope: 'admin', role: 'admin' } } as const;
const anybody = { ...common, access: 'public' } as const;

const verb = verbsWith<VerbContext & InvitationProgram>();

export const invitationVerbs = [
  verb({
    ...admin,
    name: 'invitation list',
    at: 'GET /invitations',
    title: 'List open invitations',
    description: 'Lists invitations that can still be accepted, newest first.',
    answer: Type.Array(InvitationSchema),
    run: async (ctx) => (await listInvitations(ctx)).map(invitationView),
  }),
  verb({
    ...admin,
    name: 'invitation create',
    at: 'POST /invitations',
    title: 'Invite somebody',
    description:
      'With an address and a mail server, Runcost emails the link and does not show it, so accepting it proves the address. Otherwise the response shows the link once. A link works once. It ends when it expires or is revoked, or when its author is removed or gets a lower role than the link gives. An organization can send ' +
      `${maxPerDay} invitations a day (UTC), with those sent again.`,
    body: NewInvitationBody,
    status: 201,
    answer: InvitedSchema,
    faults: [409],
    run: async (ctx, { body }, { request: { log } }) => {
      const { email = null, role, valid_days: validDays = defaultValidDays, send_email } = body;
      const byMail = goesByMail(ctx, send_email, email);
      return invitedView(await invite({ ...ctx, log }, { email, role, validDays, byMail }));
    },
  }),
  verb({
    ...admin,
    name: 'invitation resend',
    at: 'POST /invitations/:id/resend',
    title: 'Send an invitation again',
    description: 'Creates a new link, by email or shown once. The former link no longer works.',
    params,
    body: ResendBody,
    answer: InvitedSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id }, body }, { request: { log } }) => {
      const { valid_days: validDays = defaultValidDays, send_email } = body;
      const known = (await listInvitations(ctx)).find((each) => each.id === id);
      const options = { validDays, byMail: goesByMail(ctx, send_email, known?.email) };
      return invitedView(await resendInvitation({ ...ctx, log }, id, options));
    },
  }),
  verb({
    ...admin,
    name: 'invitation revoke',
    at: 'DELETE /invitations/:id',
    title: 'Revoke an invitation',
    description: 'Its link no longer works. A person who has accepted it stays a member.',
    params,
    answer: Type.Object({ ...params.properties, revoked: Type.Literal(true) }),
    faults: [404],
    run: async (ctx, { params: { id } }) => {
      await revokeInvitation(ctx, id);
      return { id, revoked: true as const };
    },
  }),
  verb({
    ...anybody,
    name: 'invitation show',
    at: 'POST /invitation/open',
    title: 'Show an invitation',
    description:
      'Shows anyone with the link the inviting person and organization. Changes nothing. A 401 says why a link no longer works.',
    body: OpenBody,
    answer: OpenedSchema,
    faults: [401, 429],
    run: async (ctx, { body: { invitation } }, { request }) => {
      const open = () => openInvitation(ctx, invitation);
      const opened = await ctx.tryInvitation(attemptOf(invitation, networkOf(request)), open);
      const { author, isProviderRequired } = opened;
      return { ...apiFields(opened), invited_by: author, single_sign_on_required: isProviderRequired };
    },
  }),
  verb({
    ...anybody,
    name: 'invitation accept',
    at: 'POST /invitation/accept',
    config: { startsSession: true },
    title: 'Accept an invitation',
    description:
      'Adds the member, unless the address of an emailed link already belongs to one, and signs in: sets the cookie `runcost_session`. If several requests accept it at once, one succeeds.',
    body: AcceptBody,
    status: 201,
    answer: AcceptedSchema,
    faults: [401, 409, 429],
    run: async (ctx, { body: { invitation, email, name } }, { request, reply }) => {
      const client = clientOf(request);
      const accept = () => acceptInvitation(ctx, invitation, { ...client, email, name });
      const { text, signedIn } = await ctx.tryInvitation(attemptOf(invitation, networkOf(request)), accept);
      const seconds = Math.ceil((signedIn.expiresAt.getTime() - ctx.clock.now().getTime()) / 1_000);
      setSessionCookie(reply, ctx.publicUrl(), { text, seconds });
      const { organization, member } = signedIn;
      return { organization_id: organization.id, organization: organization.name, email: member!.email };
    },
  }),
];

function goesByMail(
  { sendInvitation }: InvitationProgram,
  asked: boolean | undefined,
  email: string | null | undefined,
) {
  return asked ?? (typeof email === 'string' && sendInvitation !== null);
}

function attemptOf(secret: string, address: string) {
  const parts = readSecret('invitation', secret);
  return { address, credential: parts && `${parts.orgId} ${parts.id}` };
}

function invitationView(invitation: Invitation) {
  return {
    ...apiFields(invitation),
    sent_by_email: invitation.isMailed,
    email_error: invitation.mailError,
    invited_by: invitation.author,
  };
}

function invitedView({ invitation, link }: Invited) {
  return { ...invitationView(invitation), link };
}
