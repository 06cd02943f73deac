import { changed, say, type AuditedKind } from '../audit/words.ts';

export const identityProvider = {
  title: 'Identity providers',
  words: {
    create: ({ name }) => say`added the identity provider ${name}`,
    delete: ({ name }) => say`removed the identity provider ${name}`,
    update: changed('the identity provider'),
  },
} satisfies AuditedKind;

const whyRefused: Record<string, string> = {
  email_missing: 'it shared no email address',
  email_unverified: 'the email address is not verified',
  domain_not_allowed: 'neither a member nor of an allowed domain',
  not_a_member: 'not a member',
  no_group: 'no group with a role',
  groups_unknown: 'the provider left out the groups, because there are too many',
  other_invitation: 'the invitation is for another address',
  other_identity: 'the member signs in with another account there',
};

export const signIn = {
  title: 'Refused sign-ins',
  words: {
    refuse: ({ provider, email, why }) =>
      say`refused ${email || 'a person'}, who came by ${provider}: ${whyRefused[String(why)] ?? why}`,
  },
} satisfies AuditedKind;

export const signInPolicy = {
  title: 'Required single sign-on',
  words: {
    update: ({ single_sign_on_required: isRequired }) =>
      isRequired === true ? 'required single sign-on' : 'stopped requiring single sign-on',
  },
} satisfies AuditedKind;
