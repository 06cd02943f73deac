import { saveHostedRunners, type FoundRunner } from '../../ledger/pricing/hostedRunners.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { oneLine } from '../../platform/lib/text.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { badCredentials, type BackfillProgram } from '../backfills/backfill.ts';
import { listCredentials } from '../backfills/credentials.ts';
import type { GitHubAnswer, GitHubClient } from '../backfills/gitHubClient.ts';
import { nightlyPoller } from '../backfills/nightlyReads.ts';
import { findLastRead, findOwners, saveRead } from './queries.ts';
import type { ReadProblem } from './tables.ts';

/** For all owners together, because somebody can wait for the answer. */
const timeoutMilliseconds = 60_000;
/** Longer than a read takes. */
const claimMilliseconds = 5 * timeoutMilliseconds;
const maxOwners = 50;
const perPage = 100;
const maxPages = 10;

type ReadContext = BackfillProgram & { actor: { orgId: string; name: string } };

/** Reads the runners of each recorded or billed organization. Recorded jobs keep their price until somebody reprices them. */
export async function readHostedRunners(
  ctx: ReadContext,
  {
    enterprise: asked,
    isNightly = false,
  }: { enterprise?: string | null | undefined; isNightly?: boolean } = {},
): Promise<void> {
  const { orgId } = ctx.actor;
  const clients = await openClients(ctx, orgId);
  if (clients.length === 0)
    throw new PublicError(
      'conflict',
      'no_credentials',
      'No GitHub source has credentials. Set a token or an App on the Sources page, then read again.',
    );
  const before = await findLastRead(ctx.db, orgId);
  const enterprise = asked === undefined ? (before?.enterprise ?? null) : asked;
  const { names, problems } = await readOwners(ctx, clients, enterprise);
  await ctx.db.transaction().execute(async (tx) => {
    await saveRead(tx, orgId, { enterprise, triedAt: ctx.clock.now(), problems });
    if (isNightly && names.length === 0) return;
    await recordAudit(tx, ctx, 'hosted_runners.read', orgId, { runners: names, enterprise });
  });
}

async function readOwners(ctx: ReadContext, clients: readonly GitHubClient[], enterprise: string | null) {
  const { db, clock } = ctx;
  const { orgId } = ctx.actor;
  const owners = await findOwners(db, orgId);
  const places = [
    ...owners.slice(0, maxOwners),
    ...(enterprise === null ? [] : [`enterprises/${enterprise}`]),
  ];
  const names: string[] = [];
  const problems: ReadProblem[] = owners.slice(maxOwners).map((owner) => ({
    owner,
    message: `The runners of ${owner} were not read: Runcost reads at most ${maxOwners} owners.`,
  }));
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  for (const owner of places) {
    const read = await readOwner(clients, owner, signal);
    if ('message' in read) problems.push({ owner, message: read.message });
    else {
      const save = { orgId, owner, now: clock.now() };
      names.push(...(await db.transaction().execute((tx) => saveHostedRunners(tx, save, read.runners))));
    }
  }
  return { names, problems };
}

async function openClients(program: BackfillProgram, orgId: string): Promise<GitHubClient[]> {
  const credentials = await listCredentials(program, orgId);
  const { createGitHubClient } = await import('../backfills/gitHubClient.ts');
  return credentials.map((each) => createGitHubClient(program, each.credentials));
}

type Read = { runners: FoundRunner[] } | { message: string };

/** With the first credentials that may. Else the first one's problem. */
async function readOwner(
  clients: readonly GitHubClient[],
  owner: string,
  signal: AbortSignal,
): Promise<Read> {
  let problem: Read | null = null;
  for (const client of clients) {
    const read = await readPages(client, owner, signal);
    if ('runners' in read) return read;
    problem ??= read;
  }
  return problem!;
}

async function readPages(client: GitHubClient, owner: string, signal: AbortSignal): Promise<Read> {
  const [, enterprise] = /^enterprises\/(.+)$/.exec(owner) ?? [];
  const get = enterprise === undefined ? client.getOfOrganization : client.getOfEnterprise;
  const runners: FoundRunner[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const query = { per_page: perPage, page };
    const answer = await get(enterprise ?? owner, '/actions/hosted-runners', { query, signal });
    if (answer.kind !== 'data') return { message: problemOf(answer, owner) };
    const { runners: listed } = (answer.data ?? {}) as { runners?: unknown };
    if (!Array.isArray(listed)) return { message: 'GitHub answered something other than a list of runners.' };
    runners.push(...listed.flatMap(runnerOf));
    if (listed.length < perPage) break;
  }
  return { runners };
}

/** Of GitHub's answer, what decides on a price and what a person wants to see. */
function runnerOf(listed: unknown): FoundRunner[] {
  const {
    name,
    platform,
    machine_size_details: machine,
    image_details: image,
  } = (listed ?? {}) as {
    name?: unknown;
    platform?: unknown;
    machine_size_details?: { id?: unknown; cpu_cores?: unknown } | null;
    image_details?: { display_name?: unknown } | null;
  };
  const { id: size, cpu_cores: cores } = machine ?? {};
  if (typeof name !== 'string' || !isWord(platform) || !isWord(size) || !Number.isInteger(cores)) return [];
  const display = image?.display_name;
  return [
    {
      name: oneLine(name).toLowerCase().slice(0, 255),
      platform,
      size,
      cores: Number(cores),
      image: typeof display === 'string' ? oneLine(display).slice(0, 100) : null,
    },
  ];
}

/** Rules name them, so they have neither colons nor slashes. */
function isWord(text: unknown): text is string {
  return typeof text === 'string' && /^[\w.-]{1,50}$/.test(text);
}

/**
 * https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps (Administration: read), and the
 * scopes of https://docs.github.com/en/rest/actions/hosted-runners; read on 2026-11-28.
 */
function problemOf(answer: Exclude<GitHubAnswer<unknown>, { kind: 'data' }>, owner: string): string {
  switch (answer.kind) {
    case 'unchanged':
      return 'GitHub sent an empty answer.';
    case 'wait':
      return `GitHub asks to wait until ${answer.until.toISOString()}.`;
    case 'unreachable':
      return `GitHub cannot be reached: ${answer.message}.`;
    case 'unauthenticated':
      return badCredentials;
    case 'refused': {
      const rights = owner.startsWith('enterprises/')
        ? 'a classic token of an enterprise owner with the scope "manage_runners:enterprise"'
        : 'the organization permission "Administration: read" (a classic token: the scope "manage_runners:org")';
      const reason = answer.status === 404 ? ', or there is no such organization or enterprise' : '';
      return `GitHub refused the list of runners of ${owner} (${answer.status}). The credentials need ${rights}${reason}.`;
    }
  }
}

export function hostedRunnerPollers(program: BackfillProgram): Poller[] {
  const read = (orgId: string) =>
    readHostedRunners({ ...program, actor: { orgId, name: 'nightly check' } }, { isNightly: true });
  return [
    nightlyPoller(program, { what: 'hosted runners', table: 'hosted_runner_reads', claimMilliseconds, read }),
  ];
}
