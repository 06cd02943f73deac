import { randomOf, type Random } from '../../src/platform/lib/random.ts';
import { gitHubJob, gitHubRun, signGitHub } from '../payloads/gitHub.ts';
import type { Sent } from './processes.ts';

export type Source = { id: string; secret: string };

/** A run as its senders know it. What they report of it contradicts itself. */
export type Run = { id: string; isGitHub: boolean; createdAt: Date; repository: string; workflow: string };

/** One report, with the run and the jobs (`attempt/id`) that must be stored once it is acknowledged. */
export type Report = { run: Run; jobs: string[]; lastEnd: Date | null; sent: Sent };

/** What runs a job, as GitHub and as others name it. */
const kinds: Record<string, string | undefined> = {
  'ubuntu-latest': 'linux_2_core',
  'windows-latest': 'windows_4_core',
  'macos-latest': 'linux_16_core',
};
const labels = ['ubuntu-latest', 'shed', 'box', 'windows-latest', 'macos-latest'];
/** The last is more than the six hours after which GitHub ends a job. */
const seconds = [0, 30.4, 61.2, 600, 3_599, 7_200, 30_000];
const hoursAgo = [0, 1, 1, 2, 5, 14, 30, 24 * 20];
/** Retention may have removed it. GitHub does not hear that a report was refused, so the auditor could not judge. */
const longAgo = 24 * 125;
/** Later ends are refused. */
const maxAheadHours = 20;
const [minute, hour] = [60_000, 3_600_000];

const oneOf = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)]!;

/** A run of this number, which is new now or was long ago. */
export function newRun(random: Random, number: number, now: Date): Run {
  const isGitHub = random() < 0.4;
  const ago = oneOf(random, isGitHub ? hoursAgo : [...hoursAgo, longAgo, longAgo]);
  return {
    id: isGitHub ? `run_github_${7_000 + number}` : `run_world_${number}`,
    isGitHub,
    createdAt: new Date(Math.floor(now.getTime() / minute) * minute - ago * hour),
    repository: oneOf(random, ['acme/api', 'acme/web']),
    // GitHub's are known by their files, others by their names.
    workflow: oneOf(random, isGitHub ? ['Build', 'Release'] : ['CI', 'Deploy']),
  };
}

type Job = {
  id: number;
  name: string | undefined;
  label: string;
  startedAt: Date;
  completedAt: Date | null;
  conclusion: string;
};

/** GitHub says the same of a job each time, others what comes to their minds. A second attempt may list jobs of the first again. */
function newJob(
  random: Random,
  run: Run,
  { attempt, id, now }: { attempt: number; id: number; now: Date },
): Job {
  const ran = (numberOf(run) + id) % 2 === 0 ? 1 : attempt;
  const own = run.isGitHub || random() < 0.5 ? randomOf(numberOf(run) * 100 + ran * 10 + id) : random;
  const startedAt = new Date(run.createdAt.getTime() + (ran * 20 + id) * minute);
  const took = oneOf(own, seconds);
  // GitHub reports whole seconds.
  const end = new Date(startedAt.getTime() + (run.isGitHub ? Math.floor(took) : took) * 1_000);
  const label = own() < 0.8 ? labels[id % labels.length]! : oneOf(own, labels);
  const conclusion = oneOf(own, conclusions);
  const completedAt = random() < 0.85 && end.getTime() < now.getTime() + maxAheadHours * hour ? end : null;
  const name = run.isGitHub ? `job ${id}` : oneOf(random, [undefined, 'test', `job ${id}`, `job ${id}`]);
  return { id, name, label, startedAt, completedAt, conclusion };
}

const numberOf = ({ id }: Run) => Number(id.split('_').at(-1));
const conclusions = ['success', 'success', 'success', 'failure', 'failure', 'cancelled', 'skipped'];
const conclusionOf = (run: Run, attempt: number) => ['success', 'failure'][(numberOf(run) + attempt) % 2]!;

/** What somebody reports of a run: of any attempt, in any order, more than once and with contradictions. */
export function newReport(random: Random, run: Run, { source, now }: { source: Source; now: Date }): Report {
  const attempt = random() < 0.75 ? 1 : 2;
  const count = run.isGitHub ? Math.floor(random() * 2) : Math.floor(random() * 4);
  const first = Math.floor(random() * 3);
  const jobs = Array.from({ length: count }, (_, at) =>
    newJob(random, run, { attempt, id: first + at, now }),
  );
  const isOver = random() < 0.6;
  const word = oneOf(random, ['success', 'failure', 'cancelled']);
  const conclusion = isOver ? (run.isGitHub ? conclusionOf(run, attempt) : word) : null;
  const described = { attempt, status: isOver ? 'completed' : 'in_progress', conclusion };
  const sent = run.isGitHub ? gitHubSent(run, described, jobs[0], source) : apiSent(run, described, jobs);
  const ends = jobs.flatMap(({ completedAt }) => completedAt ?? []);
  const number = numberOf(run);
  return {
    run,
    jobs: jobs.map(({ id }) => `${attempt}/${run.isGitHub ? number * 100 + attempt * 10 + id : id}`),
    lastEnd: ends.toSorted((a, b) => b.getTime() - a.getTime())[0] ?? null,
    sent,
  };
}

/** GitHub's event of the run itself, which always comes in the end. */
export function lastReport(run: Run, attempt: number, source: Source): Report {
  const described = { attempt, status: 'completed', conclusion: conclusionOf(run, attempt) };
  return { run, jobs: [], lastEnd: null, sent: gitHubSent(run, described, undefined, source) };
}

type Described = { attempt: number; status: string; conclusion: string | null };

function apiSent(run: Run, { attempt, status, conclusion }: Described, jobs: readonly Job[]): Sent {
  const reported = {
    provider: 'world',
    run_id: run.id.slice('run_world_'.length),
    run_attempt: attempt,
    workflow_name: run.workflow,
    repo_name: run.repository,
    status,
    ...(conclusion && { conclusion }),
    created_at: run.createdAt,
    started_at: run.createdAt,
    jobs: jobs.map(({ id, name, label, startedAt, completedAt, conclusion: word }) => ({
      job_id: String(id),
      name,
      ...(kinds[label] ? { runner: kinds[label] } : { labels: [label] }),
      status: completedAt ? 'completed' : 'in_progress',
      started_at: startedAt,
      ...(completedAt && { conclusion: word, completed_at: completedAt }),
    })),
  };
  return { path: '/api/v1/runs', body: JSON.parse(JSON.stringify({ runs: [reported] })) };
}

const iso = (date: Date) => date.toISOString().replace('.000', '');

/** An event of a job, or of the run if there is none. */
function gitHubSent(run: Run, described: Described, job: Job | undefined, source: Source): Sent {
  const { attempt, status, conclusion } = described;
  const id = numberOf(run);
  const common = { run_attempt: attempt, repository: run.repository, created_at: iso(run.createdAt) };
  const payload = job
    ? gitHubJob({
        ...common,
        id: id * 100 + attempt * 10 + job.id,
        run_id: id,
        name: job.name!,
        workflow_name: run.workflow,
        status: job.completedAt ? 'completed' : 'in_progress',
        conclusion: job.completedAt ? job.conclusion : null,
        started_at: iso(job.startedAt),
        completed_at: job.completedAt && iso(job.completedAt),
        labels: [job.label],
      })
    : gitHubRun({
        ...common,
        id,
        name: run.workflow,
        path: `.github/workflows/${run.workflow.toLowerCase()}.yml`,
        status,
        conclusion,
        run_started_at: iso(run.createdAt),
      });
  const text = JSON.stringify(payload);
  const signed = {
    'x-github-event': job ? 'workflow_job' : 'workflow_run',
    'x-hub-signature-256': signGitHub(text, source.secret),
  };
  return {
    path: `/api/v1/ingest/${source.id}`,
    headers: { 'content-type': 'application/json', ...signed },
    body: text,
  };
}
