/** Validates a token, an address and an amount. Null if the text is invalid. */

/** CI systems mask whole secrets only, so an error must not quote a part of one. */
export function tokenIn(text: string): string | null {
  return /^[\x21-\x7e]*$/.test(text) ? text : null;
}

export const tokenFault = 'has a space, a line break or another character that no token has';

/** `fetch` rejects addresses with a user or password, and would quote them. */
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
