import { useEffect } from 'react';
import { useOrganizationId } from '../api/session.ts';

export type Visit = {
  href: string;
  title: string;
  kind: 'workflow' | 'repository' | 'team' | 'run' | 'alert' | 'webhook';
};

const maxVisits = 8;
const prefix = 'runcost-visits-';

/** Pages of single things, such as a workflow, that this browser opened last in an organization, newest first. */
export function visitsOf(organizationId: string): Visit[] {
  try {
    return JSON.parse(localStorage.getItem(prefix + organizationId) ?? '[]') as Visit[];
  } catch {
    return []; // Nothing is stored, or another version stored it.
  }
}

/** Remembers the open page once its title has loaded. */
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

/** Runs when a session ends, so that the next person on this browser does not see them. */
export function clearVisits(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
}
