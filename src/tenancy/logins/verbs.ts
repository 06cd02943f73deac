import { Type } from 'typebox';
import type { Program } from '../../context.ts';
import { clientOf, networkOf } from '../../platform/http/requests.ts';
import {
  nameOf,
  nullableObject,
  nullableText,
  sampleText,
  Timestamp,
  Uuid,
  words,
} from '../../platform/http/schemas.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { roles, scopes, type Scope } from '../../platform/lib/actor.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { limitCalls } from '../../platform/lib/limitFailures.ts';
import { approveLogin, denyLogin, getLogin, pollLogin, startLogin } from './logins.ts';

const exampleCode = 'WDJB-MJHT';
const exampleSecret = 'runcost_login_Xq3vT8mZ1kR5wN7yB2cD4fG6hJ9lP0sA-uEiOxKtVzY';
const exampleToken =
  'runcost_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_72f7ab46193cdf1e16cc_Xq3vT8mZ1kR5wN7yB2cD4fG6hJ9lP0sA-uEiOxKtVzY';

const intervalSeconds = 2;
/** Per minute and network, which several people can share. */
const [maxStarts, maxPolls, maxCodes] = [20, 300, 60];

type LoginProgram = Program & ReturnType<typeof loginProgram> & { publicUrl: () => string };

export function loginProgram({ clock }: Program) {
  return {
    countLogin: limitCalls(clock, maxStarts, 'logins from your address'),
    countPoll: limitCalls(clock, maxPolls, 'questions for logins from your address'),
    countCode: limitCalls(clock, maxCodes, 'login codes from your address'),
  };
}

const LoginSchema = Type.Object({
  code: sampleText(exampleCode),
  status: words(['waiting', 'approved', 'denied']),
  name: sampleText('mia@laptop', 'what asks, in its own words'),
  address: sampleText('203.0.113.7', 'the IP address that asks'),
  created_at: Timestamp,
  expires_at: Timestamp,
});

const StartedSchema = Type.Object({
  secret: sampleText(exampleSecret, 'for `POST /api/v1/logins/poll`; nobody else may see it'),
  code: sampleText(exampleCode, 'show it, so that people can compare it with the page'),
  confirm_url: sampleText('http://127.0.0.1:8080/confirm-login?code=WDJB-MJHT', 'for people to open'),
  expires_at: Timestamp,
  interval_seconds: Type.Integer({ description: 'how long to wait between two polls' }),
});

const ApprovedSchema = Type.Object({
  status: Type.Literal('approved'),
  token: sampleText(exampleToken, 'the bearer token, shown only once'),
  token_id: sampleText('tok_72f7ab46193cdf1e16cc'),
  expires_at: Timestamp,
  org_id: Uuid,
  organization: sampleText('Acme'),
  member: nullableObject(
    Type.Object({ email: sampleText('mona@acme.example'), name: nullableText('Mona') }),
    'to whom the token belongs; null for a service account',
  ),
  role: words(roles),
  scopes: Type.Array(words(scopes)),
});

const params = Type.Object({ code: Type.String({ maxLength: 64, examples: [exampleCode] }) });
const common = { tag: 'Session', isNeverStored: true } as const;
const anybody = { ...common, access: 'public' } as const;
const member = { ...common, access: { scope: null, role: 'viewer' } } as const;
const faults = [404, 409] as const;

const verb = verbsWith<VerbContext & LoginProgram>();

export const loginVerbs = [
  verb({
    ...anybody,
    name: 'login start',
    at: 'POST /logins',
    title: 'Start a login',
    description:
      'For programs without a browser, such as `runcost login`. A person opens the address and confirms that the code is the same. Meanwhile the program polls, and gets a token. A login waits for 15 minutes.',
    body: Type.Object(
      { name: nameOf({ maxLength: 100, description: 'what asks; the name of the token' }) },
      { additionalProperties: false, examples: [{ name: 'mia@laptop' }] },
    ),
    status: 201,
    answer: StartedSchema,
    run: async (ctx, { body: { name } }, { request }) => {
      ctx.countLogin(networkOf(request));
      const { secret, code, expiresAt } = await startLogin(ctx, { name, address: clientOf(request).from });
      return {
        secret,
        code,
        confirm_url: `${ctx.publicUrl()}/confirm-login?code=${code}`,
        expires_at: expiresAt,
        interval_seconds: intervalSeconds,
      };
    },
  }),
  verb({
    ...anybody,
    name: 'login poll',
    at: 'POST /logins/poll',
    title: 'Get the token of a login',
    description:
      'The status is 202 while the login waits, and 200 with the token once it is confirmed. The token is shown once and ends the login. It belongs to the member who confirmed, ends with them, and expires after 90 days. A refused login gets 403 `login_denied`, one that is unknown or has ended 404 `login_expired`.',
    body: Type.Object(
      { secret: Type.String({ minLength: 1, maxLength: 512 }) },
      { additionalProperties: false, examples: [{ secret: exampleSecret }] },
    ),
    status: 202,
    answer: Type.Object({ status: Type.Literal('waiting') }),
    otherAnswer: ApprovedSchema,
    faults: [404, 409],
    run: async (ctx, { body: { secret } }, { request, reply }) => {
      ctx.countPoll(networkOf(request));
      const approved = await pollLogin(ctx, secret);
      if (!approved) return { status: 'waiting' as const };
      reply.status(200);
      const { text, token, organization } = approved;
      return {
        status: 'approved' as const,
        token: text,
        token_id: token.id,
        expires_at: token.expiresAt!,
        org_id: organization.id,
        organization: organization.name,
        member: approved.member,
        role: token.role,
        scopes: token.scopes as Scope[],
      };
    },
  }),
  verb({
    ...member,
    name: 'login get',
    at: 'GET /logins/:code',
    title: 'Get a login',
    description: 'Says what asks for a token, so that people can decide. The code may lack its hyphen.',
    params,
    answer: LoginSchema,
    faults: [404],
    run: async (ctx, { params: { code } }, { request }) => {
      ctx.countCode(networkOf(request));
      return apiFields(await getLogin(ctx, code));
    },
  }),
  verb({
    ...member,
    name: 'login approve',
    at: 'POST /logins/:code/approve',
    config: { needsSession: true },
    title: 'Confirm a login',
    description:
      'Gives the program a token of your organization with your role and scopes. Confirm only what you started. A token gets 403 `session_required`. A session that a token started gets 403 `member_required`, unless it may create tokens.',
    params,
    answer: LoginSchema,
    faults,
    run: async (ctx, { params: { code } }, { request }) => {
      ctx.countCode(networkOf(request));
      return apiFields(await approveLogin(ctx, code));
    },
  }),
  verb({
    ...member,
    name: 'login deny',
    at: 'POST /logins/:code/deny',
    config: { needsSession: true },
    title: 'Refuse a login',
    description: 'The program gets no token.',
    params,
    answer: LoginSchema,
    faults,
    run: async (ctx, { params: { code } }, { request }) => {
      ctx.countCode(networkOf(request));
      return apiFields(await denyLogin(ctx, code));
    },
  }),
];
