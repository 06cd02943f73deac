import { countIn, say, type AuditedKind } from '../audit/words.ts';

const whyEnded: Record<string, string> = {
  access_ended: 'the account lost its access there',
  no_group: 'the person has no group with a role any more',
  groups_unknown: 'the provider named no groups',
  provider_removed: 'the provider was removed',
};

const endedOf: Record<string, string> = {
  everybody: 'of everybody',
  links: 'of sign-in links',
  member: 'of a member',
  token: 'of a token',
};

export const session = {
  title: 'Sessions',
  words: {
    create: ({ address, provider }) =>
      say`signed in ${provider && say`by ${provider}`} ${address && say`from ${address}`}`,
    end: 'signed out a browser',
    end_all: ({ of, sessions }) => say`signed out ${countIn(sessions, 'browser')} ${endedOf[String(of)]}`,
    end_by_provider: ({ provider, why }) =>
      say`ended a session of ${provider || 'a removed provider'}: ${whyEnded[String(why)] ?? 'access ended there'}`,
    fail: ({ with: kind, address }) =>
      say`failed to sign in with this ${kind === 'code' ? 'link' : 'token'} from ${address}`,
  },
} satisfies AuditedKind;

export const signInCode = {
  title: 'Sign-in links',
  words: { create: 'created a sign-in link' },
} satisfies AuditedKind;
