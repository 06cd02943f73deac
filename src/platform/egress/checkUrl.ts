import { isIP } from 'node:net';
import { isLoopback, refusalOf, type EgressPolicy } from './addresses.ts';

/**
 * What is wrong with a URL to call later, to follow the field's name in a sentence; null when nothing is. Does not look
 * up names: they can change, so each call checks the address again.
 */
export function checkUrl(text: string, policy: EgressPolicy): string | null {
  const url = URL.parse(text);
  return url
    ? (formFault(url, policy) ?? hostFault(url, policy))
    : 'must be a URL such as https://example.com/hook';
}

/** What is wrong with a URL apart from its host; null when nothing is. */
export function formFault(url: URL, policy: EgressPolicy): string | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must start with https://';
  if (url.username || url.password) return 'must not contain a user name or a password';
  if (url.port === '0') return 'must not use port 0';
  const mayUseHttp = policy.allowHttp || (policy.allowLoopback && isThisMachine(hostOf(url)));
  if (url.protocol === 'http:' && !mayUseHttp) {
    return 'must start with https:// (EGRESS_ALLOW_HTTP can allow http://)';
  }
  return null;
}

function hostFault(url: URL, policy: EgressPolicy): string | null {
  const host = hostOf(url);
  const address = isThisMachine(host) && !isIP(host) ? '127.0.0.1' : host;
  const refusal = isIP(address) ? refusalOf(address, policy) : null;
  return refusal && `must not point there: ${refusal}`;
}

/** The host as a resolver expects it: IPv6 without brackets, a name without a trailing dot. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Whether the host (IPv6 without brackets) always means the local machine. */
export function isThisMachine(host: string): boolean {
  return /(^|\.)localhost(\.localdomain)?$/.test(host) || isLoopback(host);
}
