/** What a token, an address and an amount may be; null if a text is none. */

/** A CI system hides a secret as a whole, so an error must not quote a part of it. */
export function tokenIn(text: string): string | null {
  return /^[\x21-\x7e]*$/.test(text) ? text : null;
}

export const tokenFault = 'has a space, a line break or another character that no token has';

/** `fetch` refuses a user or password, and would quote them. */
export function serverAddressIn(text: string): string | null {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password
    ? text.replace(/\/+$/, '')
    : null;
}

/** It may contain a password. */
export function quotedAddress(text: string): string {
  return text.includes('@') ? 'has a user name or a password' : `is "${text}"`;
}

export function dollarsIn(text: string): number | null {
  return /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : null;
}
