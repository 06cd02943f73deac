import { useSyncExternalStore } from 'react';

/** What names the organization in addresses; null for people with one. */
let inAddresses: string | null = null;

export function nameInAddresses(name: string | null): void {
  inAddresses = name;
}

/** An address of a page with the organization that it shows, so that a copied link opens there. */
export function withOrganization(address: string): string {
  if (inAddresses === null || !address.startsWith('/') || /^\/docs\b/.test(address)) return address;
  return addressIn(address, inAddresses);
}

/** Of a page in another organization. What the address says already stays. */
export function addressIn(address: string, organization: string): string {
  const [, path = '', search = '', hash = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(address)!;
  if (/[?&]org=/.test(search)) return address;
  const separator = search === '' || search === '?' ? '?' : `${search}&`;
  return `${path}${separator}org=${encodeURIComponent(organization)}${hash}`;
}

/** The query of an address without the organization, which is no matter of the pages. */
export function withoutOrganization(search: string): string {
  return search.replace(/([?&]|^)org=[^&]*(&?)/, (_, before: string, after: string) => (after ? before : ''));
}

export function organizationAsked(): string | null {
  return new URLSearchParams(location.search).get('org') || null;
}

const changes = ['popstate', 'pushState', 'replaceState'];

/** The organization in the address, which wouter announces when it changes. */
export function useOrganizationAsked(): string | null {
  return useSyncExternalStore(subscribe, organizationAsked, organizationAsked);
}

function subscribe(notify: () => void): () => void {
  for (const change of changes) window.addEventListener(change, notify);
  return () => {
    for (const change of changes) window.removeEventListener(change, notify);
  };
}
