import { Type } from 'typebox';
import {
  CalendarDay,
  defaulted,
  nullable,
  nullableObject,
  nullableText,
  NullableTimestamp,
  PageQuery,
  sampleText,
  SortOrder,
  Timestamp,
  Uuid,
  words,
} from '../../platform/http/schemas.ts';
import { plans, roles, scopes } from '../../platform/lib/actor.ts';
import { weekStarts } from '../organizations/organizations.ts';

const exampleToken =
  'runcost_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_72f7ab46193cdf1e16cc_Xq3vT8mZ1kR5wN7yB2cD4fG6hJ9lP0sA-uEiOxKtVzY';
const Secret = { minLength: 1, maxLength: 512 };

export const SignInBody = Type.Object(
  {
    token: Type.Optional(Type.String({ ...Secret, description: 'a bearer token; send this or `code`' })),
    code: Type.Optional(Type.String({ ...Secret, description: 'a one-time code from a sign-in link' })),
  },
  { additionalProperties: false, examples: [{ token: exampleToken }] },
);

export const SessionsAsked = Type.Object({
  member_id: Type.Optional(
    Type.String({
      maxLength: 64,
      description: "list this member's sessions; for admins",
      examples: ['mem_5c1f0a9e7b3d4826f1a0'],
    }),
  ),
  all: defaulted(Type.Boolean({ description: 'list the sessions of everybody; for admins' }), false),
});

export const SessionsQuery = Type.Object({
  ...SessionsAsked.properties,
  ...PageQuery.properties,
  sort_by: defaulted(
    words(['last_used', 'created', 'expires', 'holder', 'role', 'address']),
    'last_used' as const,
  ),
  sort_order: SortOrder,
});

const NamedToken = nullableObject(
  Type.Object({
    id: Type.String({ examples: ['tok_72f7ab46193cdf1e16cc'] }),
    name: Type.String({ examples: ['Grafana'] }),
  }),
  'the token that gives the rights and ends them; null for sign-in links and members without one',
);

export const SessionSchema = Type.Object({
  id: Type.String({ examples: ['ses_0e4b8d1c6a9f2753d8e1'] }),
  member: nullableObject(
    Type.Object({
      id: Type.String({ examples: ['mem_5c1f0a9e7b3d4826f1a0'] }),
      email: Type.String({ examples: ['mona@acme.example'] }),
      name: nullableText('Mona'),
    }),
    'null for service accounts and sign-in links',
  ),
  token: NamedToken,
  role: words(roles),
  address: nullableText('203.0.113.7', 'the IP address that signed in; null if unknown'),
  browser: nullableText('Firefox on Linux', 'what signed in, by its User-Agent; null if unknown'),
  is_current: Type.Boolean({ description: 'whether this request uses this session' }),
  created_at: Timestamp,
  last_seen_at: Type.Unsafe<Date>({ ...Timestamp, description: 'ISO 8601, UTC, accurate to five minutes' }),
  expires_at: Timestamp,
});

const AddressName = sampleText(
  'acme',
  'what names the organization in addresses of pages, as `org`: its login, or its id if it has none or an older organization has the same',
);

const organizationId = 'b7e9d0c2-4f1a-4c3b-8d5e-6a7f8c9d0e1f';

export const OwnOrganizationSchema = Type.Object({
  id: Type.Unsafe<string>({ ...Uuid, examples: [organizationId] }),
  name: sampleText('Acme'),
  login: nullableText('acme', "the organization's name at its provider"),
  address_name: AddressName,
  role: words(roles),
  is_current: Type.Boolean({ description: 'whether the current request is for this organization' }),
  is_entered: Type.Boolean({ description: 'whether requests of this session can use its `org_id`' }),
  single_sign_on_required: Type.Boolean({
    description: 'whether you can enter it only by its own identity provider',
  }),
});

export const EnterBody = Type.Object(
  { organization_id: Uuid },
  { additionalProperties: false, examples: [{ organization_id: organizationId }] },
);

const Member = Type.Object({
  email: Type.String({ examples: ['mona@acme.example'] }),
  name: nullableText('Mona'),
});

export const SignedInSchema = Type.Object({
  organization: Type.Object({
    id: Uuid,
    name: sampleText('Mona'),
    login: nullableText('acme', "the organization's name at its provider"),
    plan: words(plans),
    time_zone: sampleText('Europe/Berlin', 'in which the pages show times'),
    fiscal_year_start_month: Type.Integer({ description: '1 is January' }),
    week_start: words(weekStarts),
    details_from: nullable(CalendarDay),
    address_name: AddressName,
  }),
  kind: words(['session', 'token', 'operator'], {
    description: 'what the request came with; the operator is a command on the server',
  }),
  member: nullableObject(Member, 'null for service accounts and the command line'),
  token: NamedToken,
  role: words(roles),
  scopes: Type.Array(words(scopes)),
  expires_at: NullableTimestamp,
  command_line: Type.String({
    examples: ['npm run -s runcost --'],
    description:
      'how commands on the server start; for admins it includes `DATA_DIR` and `PORT` unless they are the defaults',
  }),
  public_url: sampleText(
    'https://runcost.acme.example',
    'address of this server in webhooks, emails and links: `PUBLIC_URL`',
  ),
  is_public: Type.Boolean({
    description: 'whether that address looks reachable from the internet, as webhooks of a hosted CI need',
  }),
  other_organizations: Type.Integer({
    description:
      'number of other organizations that this session can enter; see `GET /api/v1/session/organizations`',
  }),
  hold: nullableText(
    'This Runcost was restored on 2026-03-18 from a backup of 2026-03-17T02:00:00.000Z.',
    'why nothing is sent by itself until `runcost resume`; null if nothing holds it back',
  ),
});

export const SignedOutSchema = Type.Object({
  signed_out: Type.Literal(true),
  provider_address: nullableText(
    'https://login.acme.example/logout',
    'where to send the browser, to sign out at the identity provider too; null if there is none',
  ),
});
