import type { Task, TaskKind } from '../../platform/work/tasks.ts';
import type { Wait } from '../backfills/backfill.ts';
import { daysWithin, type Month } from './months.ts';

export const accountKinds = ['organization', 'user', 'enterprise'] as const;
export type AccountKind = (typeof accountKinds)[number];

export const fetchKind: TaskKind = { name: 'bill fetch', idPrefix: 'bft' };

export type FetchInput = {
  accountId: string;
  /** Newest first. */
  months: Month[];
  /** The last day to ask for. */
  until: string;
  isNightly: boolean;
};

export type FetchState = {
  left: Month[];
  /** The enterprise's report of the first month left that GitHub is making. */
  report: { id: string; looks: number } | null;
  wait: Wait | null;
  failures: number;
};

export type BillFetch = Task<FetchInput, FetchState>;

/** Progress counts requests: days of an organization or a user, months of an enterprise. */
export function unitsOf(kind: AccountKind, months: readonly Month[], until: string): number {
  if (kind === 'enterprise') return months.length;
  return months.reduce((sum, month) => sum + daysWithin(month, until).length, 0);
}

type Account = { kind: AccountKind; login: string };

/**
 * What a reader of the bill needs, from GitHub's description of these operations (docs.github.com/rest/billing/usage and
 * …/usage-reports, read 2026-11-29).
 */
const needs: Record<Account['kind'], string> = {
  organization:
    'A fine-grained token or a GitHub App needs the organization permission "Administration: read", approved by an owner. ' +
    'GitHub has refused Apps with it, too: a token of an owner works then.',
  user: 'Only the person\'s own token can read it. A fine-grained token needs the account permission "Plan: read".',
  enterprise:
    'The token must be of an owner or a billing manager of the enterprise: a classic token with the scope ' +
    '"manage_billing:enterprise", or a fine-grained one with the enterprise permission "Enterprise administration: write".',
};

/** Why GitHub refused, and what to do. */
export function refusalText(
  { kind, login }: Account,
  { status, said }: { status: number; said: string },
): string {
  const quoted = said === '' ? '' : ` GitHub says "${said}".`;
  switch (status) {
    case 403:
      return `The credentials may not read the bill of ${login} (403).${quoted} ${needs[kind]}`;
    case 404:
      return (
        `GitHub has no bill for the ${kind} ${login} (404): the name or the kind is wrong, the credentials have no access, ` +
        `or the account is not on GitHub's current billing platform. ${needs[kind]} Without it, import CSV reports.`
      );
    case 410:
      return (
        `GitHub no longer answers where this version of Runcost asks for the bill of ${login} (410). Update Runcost; until ` +
        'then, import CSV reports.'
      );
    default:
      return `GitHub answered ${status} to the request for the bill of ${login}.${quoted} Fetch it again later.`;
  }
}
