import { countIn, say, type AuditedKind } from '../audit/words.ts';

export const token = {
  title: 'Tokens',
  words: {
    create: ({ name, role, member_id: holder }, { nameOf }) =>
      say`created the token “${name}” with the role ${role} ${holder && `for ${nameOf(holder)}`}`,
    fail: ({ address }) => say`sent this token again and again from ${address}, and was refused`,
    revoke: 'revoked the token',
    revoke_all: ({ of, tokens }) =>
      of === 'member'
        ? `revoked ${countIn(tokens, 'personal token')} of a member, whose address was proven for the first time`
        : `revoked all ${countIn(tokens, 'token')}`,
  },
} satisfies AuditedKind;
