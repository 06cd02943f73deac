import { isEmail, oneLine } from '../../platform/lib/text.ts';
import type { Person } from './decide.ts';

const maxGroups = 2_000;
const maxName = 255;

type Claims = Record<string, unknown>;

const aboutProof = ['email_verified', 'xms_edov'];

/** The ID token has priority. An address and its proof must come from one answer. */
export function mergeClaims(idToken: Claims, userInfo: Claims): Claims {
  const isAddress = ({ email }: Claims) => email !== undefined;
  const isProven = (claims: Claims) => aboutProof.some((name) => claims[name] !== undefined);
  const answers = [idToken, userInfo].filter(isAddress);
  const address = answers.find(isProven) ?? answers[0] ?? {};
  const ofAddress = Object.fromEntries(['email', ...aboutProof].map((name) => [name, address[name]]));
  return { ...userInfo, ...idToken, ...ofAddress };
}

/** Reads the ID token and the issuer's user information. Null without a usable subject. */
export function personOf(issuer: string, claims: Claims, groupsClaim: string): Person | null {
  const { sub, email, name } = claims;
  if (typeof sub !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(sub)) return null;
  return {
    issuer,
    subject: sub,
    email: typeof email === 'string' && isEmail(email) ? email : null,
    isEmailVerified: isVerified(claims),
    name: typeof name === 'string' ? nameOf(name) : null,
    groups: groupsOf(claims[groupsClaim]),
  };
}

export function nameOf(text: string): string | null {
  return oneLine(text).slice(0, maxName).toWellFormed() || null;
}

/** Microsoft Entra's `xms_edov` says that the owner of the domain vouches for the email. */
function isVerified(claims: Claims): boolean {
  const vouching: unknown[] = [true, 'true', 1, '1'];
  const { email_verified: verified, xms_edov: vouched } = claims;
  return verified === undefined ? vouching.includes(vouched) : verified === true || verified === 'true';
}

/** For people in more than 200 groups, Entra sends only where to ask for them. */
export function leavesOutGroups(claims: Claims, groupsClaim: string): boolean {
  const elsewhere = claims['_claim_names'];
  if (typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, groupsClaim))
    return true;
  return groupsClaim === 'groups' && [true, 'true'].includes(claims['hasgroups'] as boolean);
}

function groupsOf(claim: unknown): string[] | null {
  if (claim === undefined) return null;
  const groups = typeof claim === 'string' ? [claim] : Array.isArray(claim) ? claim : [];
  return groups.filter((group): group is string => typeof group === 'string').slice(0, maxGroups);
}
