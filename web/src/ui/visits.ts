import { useEffect } from 'react';
import { useOrganizationId } from '../api/session.ts';

export type Visit = {
  href: string;
  title: string;
  kind: 'workflow' | 'repository' | 'team' | 'run' | 'alert' | 'webhook';
};

const maxVisits = 8;
const prefix = 'runcost-visits-';

/** The pages of single things that this browser last showed of an organization, newest first. */
export function visitsOf(organizationId: string): Visit[] {
  try {
    return JSON.parse(localStorage.getItem(prefix + organizationId) ?? '[]') as Visit[];
  } catch {
    return []; // Nothing is stored, or by another version.
  }
}

/** Remembers the page that is open, once its title is loaded. */
export function useVisit(kind: Visit['kind'], title: string | undefined): void {
  const organizationId = useOrganizationId();
  useEffect(() => {
    if (title === undefined) return;
    const href = location.pathname;
    const others = visitsOf(organizationId).filter((visit) => visit.href !== href);
    store(organizationId, [{ href, title, kind }, ...others].slice(0, maxVisits));
  }, [organizationId, kind, title]);
}

function store(organizationId: string, visits: Visit[]): void {
  try {
    localStorage.setItem(prefix + organizationId, JSON.stringify(visits));
  } catch {
    // Without storage, nothing is remembered.
  }
}

/** At the end of a session: the next person on this browser need not see it. */
export function forgetVisits(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
}
