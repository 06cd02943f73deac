import type { RunReport } from '../../src/ledger/runs/report.ts';

type HistoryRun = {
  at: string;
  event?: string;
  branch?: string;
  commit?: string;
  workflow?: string;
  repository?: string;
  provider?: string;
  jobs: { name: string; minutes: number; labels?: string[]; group?: string; attempt?: number }[];
};

let made = 0;

/** Completed runs as a provider reports them; by default pushes to main of the CI workflow of acme/api at GitHub. */
function historyRun({
  at,
  event = 'push',
  branch = 'main',
  commit,
  workflow = 'ci',
  repository = 'acme/api',
  provider = 'github',
  jobs,
}: HistoryRun): RunReport {
  const createdAt = new Date(at);
  const number = ++made;
  const after = (minutes: number) => new Date(createdAt.getTime() + minutes * 60_000);
  const end = after(Math.max(0, ...jobs.map(({ minutes }) => minutes)) + 1);
  return {
    provider,
    runId: String(700_000 + number),
    attempt: Math.max(1, ...jobs.map(({ attempt = 1 }) => attempt)),
    repository,
    isPrivate: true,
    workflowName: workflow === 'ci' ? 'CI' : workflow,
    workflowPath: provider === 'github' ? `.github/workflows/${workflow}.yml` : null,
    event,
    branch,
    actor: 'mona',
    pullRequest: event === 'pull_request' ? number : null,
    runNumber: number,
    commit: commit ?? `c${number}`,
    observedAt: end,
    state: {
      status: 'completed',
      rawConclusion: 'success',
      createdAt,
      startedAt: createdAt,
      completedAt: null,
    },
    jobs: jobs.map(
      ({ name, minutes, labels = ['ubuntu-latest'], group = 'GitHub Actions', attempt = 1 }, index) => ({
        jobId: `${number}${index}`,
        attempt,
        name,
        labels,
        runnerName: group === 'GitHub Actions' ? 'GitHub Actions 7' : 'runner-1',
        runnerGroup: group,
        status: 'completed' as const,
        rawConclusion: 'success',
        createdAt,
        startedAt: createdAt,
        completedAt: after(minutes),
        ran: true,
        observedAt: after(minutes),
      }),
    ),
  };
}

/** One run per day at this hour, from the first day to the last. */
export function daily(from: string, to: string, run: Omit<HistoryRun, 'at'>, hour = '09:00'): RunReport[] {
  const reports: RunReport[] = [];
  for (let at = Date.parse(`${from}T${hour}Z`); at <= Date.parse(`${to}T${hour}Z`); at += 86_400_000)
    reports.push(historyRun({ ...run, at: new Date(at).toISOString() }));
  return reports;
}
