import { Type } from 'typebox';
import { InvitationSecret, Name, readOnlyFields, sampleText, words } from '../../platform/http/schemas.ts';
import { roles, type Role } from '../../platform/lib/actor.ts';
import { providerKinds } from './tables.ts';

const domainForm = String.raw`^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$`;
const printable = String.raw`^[\x21-\x7e]+$`;

const Issuer = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'the OpenID Connect issuer, or the address of a GitHub server',
  examples: ['https://login.acme.example/'],
});
const ClientId = Type.String({ minLength: 1, maxLength: 255, pattern: printable, examples: ['runcost'] });
const Domains = Type.Array(Type.String({ maxLength: 253, pattern: domainForm, examples: ['acme.example'] }), {
  maxItems: 50,
  description:
    'email domains; people with a verified address in one of them become members when they first sign in',
});
const DefaultRole = Type.Unsafe<Role | null>({
  type: ['string', 'null'],
  enum: [...roles, null],
  description:
    'role of new people whose groups give none; null means that only members, and people with a group that gives a role, may sign in',
});
const GroupRoles = Type.Array(
  Type.Object(
    {
      group: Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'name of the group at the issuer; for GitHub a team, such as acme/platform',
        examples: ['ci-admins'],
      }),
      role: words(roles),
    },
    { additionalProperties: false },
  ),
  {
    maxItems: 100,
    description: 'maps groups to roles; the highest role applies. Leave empty to let admins set roles',
  },
);
const GroupsClaim = Type.String({ minLength: 1, maxLength: 255, pattern: printable, examples: ['groups'] });

const settings = {
  kind: words(providerKinds),
  name: Type.Unsafe<string>({ ...Name, description: 'label of the button', examples: ['Acme'] }),
  issuer: Issuer,
  client_id: ClientId,
  allowed_domains: Domains,
  default_role: DefaultRole,
  groups_claim: GroupsClaim,
  group_roles: GroupRoles,
};

export const ProviderSchema = Type.Object({
  id: Type.String({ examples: ['idp_4d1f0a9e7b3d4826f1a0'] }),
  ...settings,
  is_fixed: Type.Boolean({ description: 'whether environment variables of the server define it' }),
  redirect_uri: sampleText(
    'https://runcost.acme.example/sign-in/callback/b7e9d0c2-4f1a-4c3b-8d5e-6a7f8c9d0e1f',
    'to enter at the provider',
  ),
});

const Secret = Type.String({
  minLength: 1,
  maxLength: 1_000,
  pattern: printable,
  description: 'never shown again',
  examples: ['kept-secret'],
});

const ignored = readOnlyFields('id', 'is_fixed', 'redirect_uri');

export const NewProviderBody = Type.Object(
  {
    kind: settings.kind,
    name: settings.name,
    issuer: settings.issuer,
    client_id: settings.client_id,
    client_secret: Secret,
    allowed_domains: Type.Optional(Domains),
    default_role: Type.Optional(DefaultRole),
    groups_claim: Type.Optional(GroupsClaim),
    group_roles: Type.Optional(GroupRoles),
    ...ignored,
  },
  {
    additionalProperties: false,
    examples: [
      {
        kind: 'github',
        name: 'GitHub',
        issuer: 'https://github.com',
        client_id: 'Ov23liAcmeRuncost',
        client_secret: 'kept-secret',
        allowed_domains: ['acme.example'],
        group_roles: [{ group: 'acme/platform', role: 'admin' }],
      },
    ],
  },
);

export const ProviderChangesBody = Type.Object(
  {
    kind: Type.Optional(settings.kind),
    name: Type.Optional(settings.name),
    issuer: Type.Optional(settings.issuer),
    client_id: Type.Optional(settings.client_id),
    client_secret: Type.Optional(Secret),
    allowed_domains: Type.Optional(Domains),
    default_role: Type.Optional(DefaultRole),
    groups_claim: Type.Optional(GroupsClaim),
    group_roles: Type.Optional(GroupRoles),
    ...ignored,
  },
  { additionalProperties: false, examples: [{ default_role: 'member' }] },
);

export const PolicySchema = Type.Object({
  single_sign_on_required: Type.Boolean({
    description: 'whether members can sign in only by a provider; tokens stay valid for the API',
  }),
});

export const PolicyBody = Type.Object(PolicySchema.properties, {
  additionalProperties: false,
  examples: [{ single_sign_on_required: false }],
});

export const OptionsQuery = Type.Object({
  org: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'id or login of the organization, if the server has several',
      examples: ['acme'],
    }),
  ),
});

export const OptionsSchema = Type.Object({
  providers: Type.Array(
    Type.Object({
      id: sampleText('idp_4d1f0a9e7b3d4826f1a0'),
      name: sampleText('Acme'),
      kind: words(providerKinds),
      address: sampleText('/sign-in/start?provider=idp_4d1f0a9e7b3d4826f1a0', 'where signing in starts'),
    }),
  ),
  single_sign_on_required: Type.Boolean(),
  command_line: Type.String({
    description:
      'how commands on the server start; includes its `DATA_DIR` and `PORT` only for browsers on the same machine',
    examples: ['npm run -s runcost --'],
  }),
});

export const CallbackParams = Type.Object({ org_id: Type.String({ maxLength: 100 }) });

export const StartQuery = Type.Object({
  ...OptionsQuery.properties,
  provider: Type.String({ minLength: 1, maxLength: 64, examples: ['idp_4d1f0a9e7b3d4826f1a0'] }),
  to: Type.Optional(
    Type.String({ maxLength: 2_000, description: 'path to open after signing in', examples: ['/waste'] }),
  ),
});

/** Not the sample of an invitation that is accepted with an email, because each link works once. */
const sampleInvitation =
  'runcost_invitation_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_8c0e5f7a2d6b9143c5e7_pQ3rS8tU1vW6xY0zA5bC9dE2fG7hI4jKmNnOoPpQqRr';

export const InvitedBody = Type.Object(
  {
    invitation: InvitationSecret,
    provider: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'id of the provider, from `GET /sign-in-options`',
    }),
  },
  {
    additionalProperties: false,
    examples: [{ invitation: sampleInvitation, provider: 'idp_4d1f0a9e7b3d4826f1a0' }],
  },
);

export const StartedSchema = Type.Object({
  address: sampleText('https://login.acme.example/authorize?client_id=runcost', 'where to send the browser'),
});
