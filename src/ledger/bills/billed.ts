import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Day } from '../../platform/lib/days.ts';
import { clip, coveredBy, decideCoverage, type Coverage, type Covered } from './coverage.ts';
import {
  findBilledLines,
  findCoverages,
  findRepositories,
  type BilledAsked,
  type BilledLine,
} from './queries.ts';

export type { BilledLine } from './queries.ts';

type Days = { start: Day; end: Day };

/** The bill of some days: each day by the report that counts. */
export type Bill = {
  decided: readonly Coverage[];
  covered: Covered;
  /** As our runs spell it, `acme/` without a repository, or '' without an owner. */
  repositoryOf: (line: Pick<BilledLine, 'organization' | 'repository'>) => string;
  /** The lines of these days, which are some of the bill's, that count. */
  read: (db: Database | Transaction, days: Days, asked: BilledAsked) => Promise<BilledLine[]>;
};

/** As the days of reports. */
export const allDays = { start: '2000-01-01', end: '2099-12-31' };

export async function openBill(db: Database | Transaction, orgId: string, days: Days): Promise<Bill> {
  const all = await findCoverages(db, orgId, allDays);
  const decided = decideCoverage(all, days);
  const covered = coveredBy(decided, all);
  const repositoryOf = namedBy(all.length === 0 ? [] : await findRepositories(db, orgId));
  // If an organization has its own report, a personal report would count its lines twice.
  const isCounted = (line: BilledLine) =>
    line.organization !== '' || covered.organizationOf(ownerOf(repositoryOf(line))) === '';
  return {
    decided,
    covered,
    repositoryOf,
    read: async (on, part, asked) =>
      (await findBilledLines(on, orgId, clip(decided, part), asked)).filter(isCounted),
  };
}

export function ownerOf(repository: string): string {
  return repository.includes('/') ? repository.slice(0, repository.indexOf('/')).toLowerCase() : '';
}

/** Whether the name stands for lines without a repository: `acme/`, or '' without an owner. */
export function isUnnamed(repository: string): boolean {
  return repository === '' || repository.endsWith('/');
}

/** A report without an organization has names without owners, which stand for a repository if only one has the name. */
function namedBy(recorded: readonly string[]): Bill['repositoryOf'] {
  const spellings = new Map<string, string>();
  const ofBare = new Map<string, string | null>();
  for (const repository of recorded) {
    const name = repository.toLowerCase();
    if (!spellings.has(name)) spellings.set(name, repository);
    const bare = name.slice(name.lastIndexOf('/') + 1);
    ofBare.set(bare, ofBare.has(bare) && ofBare.get(bare)?.toLowerCase() !== name ? null : repository);
  }
  return ({ organization, repository }) => {
    const name = repository.toLowerCase();
    if (organization === '' && !repository.includes('/')) return ofBare.get(name) ?? repository;
    return repository === '' ? `${organization}/` : (spellings.get(name) ?? repository);
  };
}
