import { useSyncExternalStore } from 'react';

let inAddresses: string | null = null;

export function nameInAddresses(name: string | null): void {
  inAddresses = name;
}

/** Adds the organization to a page's address, so that a copied link opens there. */
export function withOrganization(address: string): string {
  if (inAddresses === null || !address.startsWith('/') || /^\/docs\b/.test(address)) return address;
  return addressIn(address, inAddresses);
}

/** The address of a page in another organization. An organization in the address stays. */
export function addressIn(address: string, organization: string): string {
  const [, path = '', search = '', hash = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(address)!;
  if (/[?&]org=/.test(search)) return address;
  const separator = search === '' || search === '?' ? '?' : `${search}&`;
  return `${path}${separator}org=${encodeURIComponent(organization)}${hash}`;
}

/** The query of an address without the organization, which pages do not need. */
export function withoutOrganization(search: string): string {
  return search.replace(/([?&]|^)org=[^&]*(&?)/, (_, before: string, after: string) => (after ? before : ''));
}

export function organizationAsked(): string | null {
  return new URLSearchParams(location.search).get('org') || null;
}

const changes = ['popstate', 'pushState', 'replaceState'];

/** The organization in the address. wouter notifies when the address changes. */
export function useOrganizationAsked(): string | null {
  return useSyncExternalStore(subscribe, organizationAsked, organizationAsked);
}

function subscribe(notify: () => void): () => void {
  for (const change of changes) window.addEventListener(change, notify);
  return () => {
    for (const change of changes) window.removeEventListener(change, notify);
  };
}
