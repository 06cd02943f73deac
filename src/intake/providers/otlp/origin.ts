import { hash } from 'node:crypto';
import type { RunReport } from '../../../ledger/runs/report.ts';
import { invalidAt } from '../../../platform/lib/errors.ts';
import { commitIn, storableNumber } from '../payload.schema.ts';
import { checkedId, type Seen, attribute } from './spans.ts';

type Origin = Pick<RunReport, 'provider' | 'runId' | 'repository'>;

/** Runs of GitHub and GitLab get the ids of their webhooks, so that both reports are one run. */
export function originOf(seen: Seen, reportedRunId: string | null): Origin {
  const page = runPage(seen);
  const givenId = reportedRunId ?? page?.runId ?? null;
  if (givenId === null)
    throw invalidAt('cicd.pipeline.run.id', 'is required beside cicd.pipeline.task.run.id');
  const runId = checkedId('cicd.pipeline.run.id', givenId);
  return { provider: providerOf(seen, runId, page), runId, repository: repositoryOf(seen, page) };
}

const ownIdForm = /^[1-9]\d{0,15}$/;

/** Throws if GitHub or GitLab would give the job another id, because its cost would then count twice. */
export function refuseForeignId(provider: string, taskId: string): void {
  if (!isHosted(provider) || ownIdForm.test(taskId)) return;
  throw invalidAt(
    'cicd.pipeline.task.run.id',
    `must be the number that ${provider} gave the job, so that its cost counts once`,
  );
}

function isHosted(provider: string): boolean {
  return /^git(hub|lab)(\.|$)/.test(provider);
}

type Page = {
  kind: 'github' | 'gitlab';
  host: string;
  repository: string;
  runId: string | null;
  attempt: number | null;
};

function runPage(seen: Seen): Page | null {
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
  return addressOf(attribute(seen, ['cicd.pipeline.task.run.url.full', 'cicd.pipeline.run.url.full']));
}

function repositoryAddressOf(seen: Seen): Address | null {
  return addressOf(attribute(seen, ['vcs.repository.url.full']));
}

const apiHost = /^api\.(github\.com|[a-z0-9-]+\.ghe\.com)$/;

/** Uses the name in webhooks, because other names of GitHub's host are not other servers. */
function addressOf(text: string | null): Address | null {
  const url = URL.parse(text ?? '');
  if (!url) return null;
  const { host, pathname } = url;
  if (apiHost.test(host)) {
    return { host: host.replace(/^api\./, ''), pathname: pathname.replace(/^\/repos\//, '/') };
  }
  // A server's API has the same host as its pages.
  const page = pathname.replace(/^\/api\/v3\/repos\//, '/');
  return { host: host === 'www.github.com' ? 'github.com' : host, pathname: page };
}

const otherName = /^[a-z][a-z0-9-]{0,31}$/;

/** `vcs.provider.name` says where the code is, not which CI builds it, such as Jenkins. */
function providerOf(seen: Seen, runId: string, page: Page | null): string {
  const name =
    attribute(seen, ['vcs.provider.name', 'vcs.vendor.name'])?.toLowerCase() ?? publicHosts[page?.host ?? ''];
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
  const name = attribute(seen, ['vcs.repository.name']) ?? '';
  const owner = attribute(seen, ['vcs.owner.name', 'vcs.repository.owner']);
  const candidates = [
    path.replaceAll(/^\/+|(\.git)?\/*$/g, ''),
    page?.repository,
    `${owner ?? ''}/${name}`,
    name,
  ];
  const repository = candidates.find((each) => /^[^/\s]+(\/[^/\s]+)+$/.test(each ?? ''));
  if (repository) return repository;
  throw invalidAt('vcs.repository.url.full', 'is required, or vcs.owner.name with vcs.repository.name');
}

const maxAttempt = 10_000;
const maxGuesses = 60;

export function attemptOf(seen: Seen, { provider, runId }: Origin): number {
  if (!provider.startsWith('github')) return 1;
  const attempts = ['github.workflow.run.attempt', 'github.job.run_attempt', 'github.run_attempt'];
  const before = attribute(seen, ['cicd.pipeline.run.previous_attempt.url.full']);
  const previous = /\/attempts\/(\d+)(?:\/|$)/.exec(before ?? '')?.[1];
  const known = Number(
    attribute(seen, attempts) ?? runPage(seen)?.attempt ?? (previous && Number(previous) + 1),
  );
  if (Number.isInteger(known) && known >= 1 && known <= maxAttempt) return known;
  return attemptOfTrace(seen.span.traceId, runId) ?? 1;
}

/** The collector's GitHub receiver derives the trace id from run and attempt, which it sends nowhere else. */
function attemptOfTrace(traceId: string, runId: string): number | null {
  for (let attempt = 1; attempt <= maxGuesses; attempt += 1) {
    if (hash('sha256', `${runId}${attempt}t`).slice(0, 32) === traceId) return attempt;
  }
  return null;
}

export function contextOf(
  seen: Seen,
): Pick<
  RunReport,
  'isPrivate' | 'workflowPath' | 'event' | 'branch' | 'actor' | 'pullRequest' | 'runNumber' | 'commit'
> {
  const visibility = attribute(seen, ['vcs.repository.visibility']);
  return {
    isPrivate: visibility === null ? null : visibility !== 'public',
    workflowPath: attribute(seen, ['cicd.pipeline.file.path']),
    event: attribute(seen, ['gitlab.pipeline.source']),
    branch: attribute(seen, ['vcs.ref.head.name', 'vcs.ref.head']),
    actor: attribute(seen, [
      'cicd.pipeline.run.sender.login',
      'gitlab.pipeline.run.actor.username',
      'cicd.pipeline.run.actor.name',
    ]),
    pullRequest: storableNumber(attribute(seen, ['vcs.change.id'])),
    runNumber: null,
    commit: commitIn(attribute(seen, ['vcs.ref.head.revision'])),
  };
}
