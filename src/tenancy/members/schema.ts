import { Type } from 'typebox';
import { NullableName, NullableString, readOnly, Timestamp, words } from '../../platform/http/schemas.ts';
import { roles } from '../../platform/lib/actor.ts';

export const MemberSchema = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: NullableString,
  role: words(roles),
  alert_emails: Type.Boolean({ description: 'whether alerts are mailed to this person' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const readOnlyOfMember = { id: readOnly, created_at: readOnly, updated_at: readOnly };
const Email = Type.String({ minLength: 3, maxLength: 254, format: 'idn-email' });
const memberSettings = {
  name: Type.Optional(NullableName),
  role: Type.Optional(words(roles)),
  alert_emails: Type.Optional(Type.Boolean()),
};

export const NewMemberBody = Type.Object(
  { email: Email, ...memberSettings, ...readOnlyOfMember },
  { additionalProperties: false },
);

export const MemberChangesBody = Type.Object(
  { email: Type.Optional(Email), ...memberSettings, ...readOnlyOfMember },
  { additionalProperties: false },
);

export const Deleted = Type.Object({ id: Type.String(), deleted: Type.Literal(true) });
