/** Reads what senders sent: to the API, and as GitHub does. */
import { completed, type Job, type Report, type Seen, type Step, type Time } from './history.ts';

type Body = { runs: SubmittedRun[] };
type Submitted = { status?: string; conclusion?: string; started_at?: string; completed_at?: string };
type SubmittedJob = Submitted & {
  job_id: string;
  name?: string;
  labels?: string[];
  runner?: string;
  runner_group?: string;
};
type SubmittedRun = Submitted & {
  provider?: string;
  run_id: string;
  run_attempt?: number;
  workflow_name: string;
  repo_name: string;
  event?: string;
  branch?: string;
  actor?: string;
  started_by?: string;
  pull_request?: number;
  created_at: string;
  jobs?: SubmittedJob[];
};

const timeOf = (text: string | Date | null | undefined): Time => (text ? new Date(text).getTime() : null);
const statuses: Record<string, number> = { in_progress: 1, completed: 2 };

/** The runs of a `POST /api/v1/runs` that were accepted. */
export function readSubmission({ at, body, answer }: Step): Report[] {
  const results = (answer?.body as { data?: { results?: { error?: unknown }[] } } | undefined)?.data?.results;
  return (body as Body).runs
    .filter((_, index) => !results?.[index]?.error)
    .map((run) => {
      const attempt = run.run_attempt ?? 1;
      const provider = run.provider ?? 'api';
      const observedAt = at.getTime();
      return {
        run: {
          id: `run_${provider}_${run.run_id}`,
          provider,
          attempt,
          status: statuses[run.status!] ?? 0,
          repository: run.repo_name,
          workflow: run.workflow_name,
          path: null,
          isPrivate: null,
          event: run.event ?? null,
          branch: run.branch ?? null,
          actor: run.actor ?? null,
          // By default who triggered the first attempt.
          startedBy: run.started_by ?? (attempt === 1 ? (run.actor ?? null) : null),
          pullRequest: run.pull_request ?? null,
          conclusion: run.conclusion?.toLowerCase() ?? null,
          createdAt: timeOf(run.created_at)!,
          observedAt,
        },
        jobs: (run.jobs ?? []).map((job) => readJob(job, attempt, observedAt)),
      };
    });
}

function readJob(job: SubmittedJob, attempt: number, observedAt: number): Seen<Job> {
  const derived =
    job.completed_at || job.conclusion ? 'completed' : job.started_at ? 'in_progress' : 'queued';
  const labels = job.runner ? [job.runner] : (job.labels ?? []);
  return {
    attempt,
    jobId: job.job_id,
    status: statuses[job.status ?? derived] ?? 0,
    name: job.name ?? null,
    labels: labels.length > 0 ? labels : null,
    group: job.runner_group ?? null,
    runnerName: null,
    conclusion: job.conclusion?.toLowerCase() ?? null,
    startedAt: timeOf(job.started_at),
    completedAt: timeOf(job.completed_at),
    ran: true,
    observedAt,
  };
}

type GitHubBody = {
  repository: { full_name: string; private?: boolean };
  workflow_run?: Record<string, never> & { actor?: { login: string }; triggering_actor?: { login: string } };
  workflow_job?: Record<string, never>;
};

/** A `workflow_run` or `workflow_job` of GitHub. */
export function readGitHub({ body }: Step): Report[] {
  const {
    repository,
    workflow_run: run,
    workflow_job: job,
  } = (typeof body === 'string' ? JSON.parse(body) : body) as GitHubBody;
  const said = run ?? job;
  if (!said) return [];
  const attempt = said['run_attempt'] ?? 1;
  const status = statuses[said['status']!] ?? 0;
  const ofRun = {
    id: `run_github_${job ? job['run_id'] : said['id']}`,
    provider: 'github',
    attempt,
    repository: repository.full_name,
    isPrivate: repository.private ?? null,
    workflow: (job ? job['workflow_name'] : said['name']) ?? null,
    path: run?.['path'] ?? null,
    event: run?.['event'] ?? null,
    branch: said['head_branch'] ?? null,
    actor: run?.triggering_actor?.login ?? null,
    startedBy: run?.actor?.login ?? null,
    pullRequest: null,
    createdAt: timeOf(said['created_at'])!,
    observedAt: timeOf(
      said['updated_at'] ?? said['completed_at'] ?? said['started_at'] ?? said['created_at'],
    )!,
  };
  if (run) return [{ run: { ...ofRun, status, conclusion: run['conclusion'] ?? null }, jobs: [] }];
  return [
    {
      // A job says little of its run.
      run: { ...ofRun, status: -1, conclusion: null },
      jobs: [
        {
          attempt,
          jobId: String(job!['id']),
          status,
          name: job!['name'] ?? null,
          labels: job!['labels'] ?? null,
          group: job!['runner_group_name'] ?? null,
          runnerName: job!['runner_name'] ?? null,
          conclusion: job!['conclusion'] ?? null,
          startedAt: status === 0 ? null : timeOf(job!['started_at']),
          completedAt: status === completed ? timeOf(job!['completed_at']) : null,
          ran: Boolean(job!['runner_name']),
          observedAt: ofRun.observedAt,
        },
      ],
    },
  ];
}
