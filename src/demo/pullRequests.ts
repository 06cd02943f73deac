import { pullRequestKey, type PullRequestReport } from '../ledger/pullRequests/pullRequests.ts';
import type { RunReport } from '../ledger/runs/report.ts';
import { getOrCreate } from '../platform/lib/lists.ts';

type Seen = { of: RunReport; first: Date; last: Date };

const minute = 60_000;
/** One without a run for so long is merged or closed. */
const openMilliseconds = 2 * 24 * 60 * minute;

/** Notes the pull requests of runs, and says what became of them. Some stay unknown, as if no event had said it. */
export function createPullRequests() {
  const seen = new Map<string, Seen>();
  return {
    note: (report: RunReport): void => {
      const { provider, repository, pullRequest: number, state } = report;
      if (number === null || !state) return;
      const at = state.createdAt;
      const key = pullRequestKey({ provider, repository, number });
      const known = getOrCreate(seen, key, () => ({ of: report, first: at, last: at }));
      if (at < known.first) Object.assign(known, { of: report, first: at });
      if (at > known.last) known.last = at;
    },
    reports: (now: Date): PullRequestReport[] =>
      [...seen.values()].filter(({ of }) => of.pullRequest! % 11 !== 0).map((each) => reportOf(each, now)),
  };
}

function reportOf({ of, first, last }: Seen, now: Date): PullRequestReport {
  const { provider, repository, branch, actor } = of;
  const number = of.pullRequest!;
  const isOpen = now.getTime() - last.getTime() < openMilliseconds;
  const endedAt = isOpen ? null : new Date(last.getTime() + 45 * minute);
  return {
    provider,
    repository,
    number,
    state: isOpen ? (number % 4 === 0 ? 'draft' : 'open') : number % 6 === 0 ? 'closed' : 'merged',
    title: branch?.replace(/-\d+$/, '').replaceAll('-', ' ') ?? null,
    author: actor,
    createdAt: new Date(first.getTime() - minute),
    endedAt,
    observedAt: endedAt ?? last,
  };
}
