import { hash } from 'node:crypto';
import type { RunReport } from '../../../ledger/runs/report.ts';
import { invalid } from '../../../platform/lib/errors.ts';
import { checkedId, type Seen, told } from './spans.ts';

type Origin = Pick<RunReport, 'provider' | 'runId' | 'repository'>;

/**
 * Which run a span belongs to. Runs of GitHub and GitLab get the ids that their webhooks give them, so that what is
 * told both ways is one run. Throws `PublicError` where the run or the repository is not told.
 */
export function originOf(seen: Seen, toldRunId: string | null): Origin {
  const page = pageOf(seen);
  const givenId = toldRunId ?? page?.runId ?? null;
  if (givenId === null) throw invalid('cicd.pipeline.run.id', 'is required beside cicd.pipeline.task.run.id');
  const runId = checkedId('cicd.pipeline.run.id', givenId);
  return { provider: providerOf(seen, runId, page), runId, repository: repositoryOf(seen, page) };
}

const ownIdForm = /^[1-9]\d{0,15}$/;

/** Throws where GitHub or GitLab would give the job another id: then its cost would be counted once for each. */
export function refuseForeignId(provider: string, taskId: string): void {
  if (!isHosted(provider) || ownIdForm.test(taskId)) return;
  throw invalid(
    'cicd.pipeline.task.run.id',
    `must be the number that ${provider} gives the job, so that its cost counts once`,
  );
}

function isHosted(provider: string): boolean {
  return /^git(hub|lab)(\.|$)/.test(provider);
}

/** A page of a run or job at GitHub or GitLab, as its address tells it. */
type Page = {
  kind: 'github' | 'gitlab';
  host: string;
  repository: string;
  runId: string | null;
  attempt: number | null;
};

function pageOf(seen: Seen): Page | null {
  const address = runAddressOf(seen);
  if (!address) return null;
  const { host, pathname } = address;
  const gitHub = /^\/([^/]+\/[^/]+)\/actions\/runs\/(\d+)(?:\/attempts\/(\d+))?(?:\/|$)/.exec(pathname);
  if (gitHub) {
    const [, repository, runId, attempt] = gitHub;
    return {
      kind: 'github',
      host,
      repository: repository!,
      runId: runId!,
      attempt: attempt ? Number(attempt) : null,
    };
  }
  const gitLab = /^\/([^/]+(?:\/[^/]+)+?)\/-\/(?:pipelines\/(\d+)|jobs\/\d+)(?:\/|$)/.exec(pathname);
  if (!gitLab) return null;
  return { kind: 'gitlab', host, repository: gitLab[1]!, runId: gitLab[2] ?? null, attempt: null };
}

type Address = { host: string; pathname: string };

function runAddressOf(seen: Seen): Address | null {
  return addressOf(told(seen, ['cicd.pipeline.task.run.url.full', 'cicd.pipeline.run.url.full']));
}

function repositoryAddressOf(seen: Seen): Address | null {
  return addressOf(told(seen, ['vcs.repository.url.full']));
}

/** GitHub's own, and those of enterprises with data residency. */
const apiHost = /^api\.(github\.com|[a-z0-9-]+\.ghe\.com)$/;

/** As its page in a browser has it, which is what webhooks tell: other names of GitHub's host are not other servers. */
function addressOf(text: string | null): Address | null {
  const url = URL.parse(text ?? '');
  if (!url) return null;
  const { host, pathname } = url;
  if (apiHost.test(host)) {
    return { host: host.replace(/^api\./, ''), pathname: pathname.replace(/^\/repos\//, '/') };
  }
  // The API of a server has no host of its own.
  const page = pathname.replace(/^\/api\/v3\/repos\//, '/');
  return { host: host === 'www.github.com' ? 'github.com' : host, pathname: page };
}

const otherName = /^[a-z][a-z0-9-]{0,31}$/;

/**
 * `vcs.provider.name` says where the code is, and not which CI builds it: a Jenkins run of a repository at GitHub has
 * an address of Jenkins, or an id that is none of GitHub's.
 */
function providerOf(seen: Seen, runId: string, page: Page | null): string {
  const name =
    told(seen, ['vcs.provider.name', 'vcs.vendor.name'])?.toLowerCase() ?? publicHosts[page?.host ?? ''];
  if (name !== 'github' && name !== 'gitlab')
    return name !== undefined && otherName.test(name) ? name : unknown;
  const isElsewhere = page ? page.kind !== name : runAddressOf(seen) !== null;
  if (isElsewhere || !ownIdForm.test(runId)) return unknown;
  const host = page?.host ?? repositoryAddressOf(seen)?.host ?? `${name}.com`;
  return host === `${name}.com` ? name : `${name}.${host}`;
}

const unknown = 'otlp';
const publicHosts: Partial<Record<string, string>> = { 'github.com': 'github', 'gitlab.com': 'gitlab' };

function repositoryOf(seen: Seen, page: Page | null): string {
  const path = repositoryAddressOf(seen)?.pathname ?? '';
  const name = told(seen, ['vcs.repository.name']) ?? '';
  const owner = told(seen, ['vcs.owner.name', 'vcs.repository.owner']);
  const candidates = [
    path.replaceAll(/^\/+|(\.git)?\/*$/g, ''),
    page?.repository,
    `${owner ?? ''}/${name}`,
    name,
  ];
  const repository = candidates.find((each) => /^[^/\s]+(\/[^/\s]+)+$/.test(each ?? ''));
  if (repository) return repository;
  throw invalid('vcs.repository.url.full', 'is required, or vcs.owner.name with vcs.repository.name');
}

const highestAttempt = 10_000;
/** More re-runs than GitHub allows. */
const mostGuesses = 60;

/** Which attempt of a GitHub run it is; other providers' runs have one. */
export function attemptOf(seen: Seen, { provider, runId }: Origin): number {
  if (!provider.startsWith('github')) return 1;
  const attempts = ['github.workflow.run.attempt', 'github.job.run_attempt', 'github.run_attempt'];
  const before = told(seen, ['cicd.pipeline.run.previous_attempt.url.full']);
  const previous = /\/attempts\/(\d+)(?:\/|$)/.exec(before ?? '')?.[1];
  const known = Number(told(seen, attempts) ?? pageOf(seen)?.attempt ?? (previous && Number(previous) + 1));
  if (Number.isInteger(known) && known >= 1 && known <= highestAttempt) return known;
  return attemptOfTrace(seen.span.traceId, runId) ?? 1;
}

/** The collector's receiver for GitHub derives the trace's id from the run and its attempt, and tells it nowhere else. */
function attemptOfTrace(traceId: string, runId: string): number | null {
  for (let attempt = 1; attempt <= mostGuesses; attempt += 1) {
    if (hash('sha256', `${runId}${attempt}t`).slice(0, 32) === traceId) return attempt;
  }
  return null;
}

export function contextOf(
  seen: Seen,
): Pick<RunReport, 'isPrivate' | 'workflowPath' | 'event' | 'branch' | 'actor'> {
  const visibility = told(seen, ['vcs.repository.visibility']);
  return {
    isPrivate: visibility === null ? null : visibility !== 'public',
    workflowPath: told(seen, ['cicd.pipeline.file.path']),
    event: told(seen, ['gitlab.pipeline.source']),
    branch: told(seen, ['vcs.ref.head.name', 'vcs.ref.head']),
    actor: told(seen, [
      'cicd.pipeline.run.sender.login',
      'gitlab.pipeline.run.actor.username',
      'cicd.pipeline.run.actor.name',
    ]),
  };
}
