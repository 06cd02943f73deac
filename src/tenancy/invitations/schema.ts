import { Type } from 'typebox';
import {
  InvitationSecret,
  NullableName,
  nullableText,
  readOnlyFields,
  sampleInvitation,
  sampleText,
  Timestamp,
  Uuid,
  words,
} from '../../platform/http/schemas.ts';
import { roles } from '../../platform/lib/actor.ts';
import { defaultValidDays, maxValidDays } from './invitations.ts';

export const sampleId = 'inv_2b9d4e7f1c6a8053e4d2';

const Email = { minLength: 3, maxLength: 254, format: 'idn-email' };

export const InvitationSchema = Type.Object({
  id: Type.String({ examples: [sampleId] }),
  email: nullableText('lin@acme.example', 'null for whoever has the link'),
  role: words(roles),
  sent_by_email: Type.Boolean({
    description: 'whether the link was sent to the address by email and shown to nobody else',
  }),
  email_error: nullableText(
    'no such mailbox',
    'why the email was not sent: send it again; null if it was sent, or none was asked for',
  ),
  invited_by: sampleText('Ada', 'name or address of the member, `token tok_…`, or `cli`'),
  created_at: Timestamp,
  expires_at: Timestamp,
});

export const InvitedSchema = Type.Object({
  ...InvitationSchema.properties,
  link: nullableText(
    `https://runcost.acme.example/invitation#${sampleInvitation}`,
    'the link to pass on, shown only once; null if it went by email',
  ),
});

const ValidDays = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: maxValidDays,
    description: `days until the invitation expires; default ${defaultValidDays}`,
  }),
);
const SendEmail = Type.Optional(
  Type.Boolean({
    description:
      'whether to email the link, so that it proves the address; defaults to true if there is an address and this server has a mail server',
  }),
);

export const NewInvitationBody = Type.Object(
  {
    email: Type.Optional(
      Type.Unsafe<string | null>({
        ...Email,
        type: ['string', 'null'],
        description: 'address to invite; leave it out for a link that anyone can use once',
      }),
    ),
    role: words(roles),
    valid_days: ValidDays,
    send_email: SendEmail,
    ...readOnlyFields('id', 'sent_by_email', 'email_error', 'invited_by', 'created_at', 'expires_at', 'link'),
  },
  {
    additionalProperties: false,
    examples: [{ email: 'lin@acme.example', role: 'member', valid_days: 7 }],
  },
);

export const ResendBody = Type.Object(
  { valid_days: ValidDays, send_email: SendEmail },
  { additionalProperties: false, examples: [{ valid_days: 7 }] },
);

export const OpenBody = Type.Object(
  { invitation: InvitationSecret },
  { additionalProperties: false, examples: [{ invitation: sampleInvitation }] },
);

export const OpenedSchema = Type.Object({
  organization: sampleText('Acme'),
  role: words(roles),
  invited_by: sampleText('Ada'),
  expires_at: Timestamp,
  email: nullableText(
    'lin@acme.example',
    'the address that the link proves; null: send yours with the acceptance',
  ),
  suggested_email: nullableText('lin@acme.example', 'whom the link was made for, if it proves no address'),
  is_member: Type.Boolean({ description: 'whether that address already belongs to a member' }),
  organization_id: Uuid,
  single_sign_on_required: Type.Boolean({
    description: 'if true, accept with `POST /invitation/sign-in`, by the identity provider',
  }),
});

export const AcceptBody = Type.Object(
  {
    invitation: InvitationSecret,
    email: Type.Optional(
      Type.String({
        ...Email,
        description: 'your email address; required unless the link proves one',
        examples: ['lin@acme.example'],
      }),
    ),
    name: Type.Optional(NullableName),
  },
  {
    additionalProperties: false,
    examples: [{ invitation: sampleInvitation, email: 'lin@acme.example', name: 'Lin' }],
  },
);

export const AcceptedSchema = Type.Object({
  organization_id: Uuid,
  organization: sampleText('Acme'),
  email: sampleText('lin@acme.example'),
});
