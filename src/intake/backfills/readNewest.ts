import { setTimeout as sleep } from 'node:timers/promises';
import { PublicError } from '../../platform/lib/errors.ts';
import {
  badCredentials,
  createdQuery,
  maxListed,
  obstacleOf,
  sliceBetween,
  unreadable,
  type BackfillProgram,
  type Obstacle,
  type Slice,
} from './backfill.ts';
import type { GitHubClient } from './gitHubClient.ts';
import { idOf, readPage, readRun, type Item, type ReadRun } from './readRun.ts';
import { record, type UnreadRunItem } from './readRuns.ts';

export type Asked = {
  orgId: string;
  client: GitHubClient;
  repositories: readonly string[];
  since: Date;
  until: Date;
  /** When to stop and return what has been read. */
  deadline: Date;
  signal: AbortSignal;
  report: (read: number, total: number) => void;
};

export type NewestRuns = {
  read: number;
  /** Number of runs that GitHub reports. */
  total: number;
  /** When the oldest of the read runs was created; null if all or none were read. */
  readSince: Date | null;
  stoppedBy: Stop | null;
  problems: string[];
};

type Stop = { reason: 'rate_limit' | 'time' | 'unreachable'; message: string | null };

/** Below GitHub's limit of 900 requests a minute. */
const requestsPerMinute = 800;
const atOnce = 8;
const runsPerPage = 100;
const runsPerRecord = 100;
const maxFailures = 5;

/** Newest first, until all are read or the time or rate limit is used up. It cannot be continued. */
export async function readNewestRuns(program: BackfillProgram, asked: Asked): Promise<NewestRuns> {
  const { signal, report } = asked;
  const client = pacedClient(program, asked);
  const { feeds, problems } = await startFeeds(client, asked);
  const total = feeds.reduce((sum, feed) => sum + feed.total, 0);
  const keeper = recordInTurn(program, asked.orgId);
  const underWay = new Set<Promise<void>>();
  let [read, failures] = [0, 0];
  let oldest: Date | null = null;
  report(0, total);

  async function readOne({ feed, run }: { feed: Feed; run: Item }): Promise<void> {
    const id = idOf(run)!;
    const reading = await readRun({ program, client, signal }, feed.repository, { run, id, last: null });
    if ('stoppedBy' in reading) {
      if (client.stop || signal.aborted) return;
      const { stoppedBy } = reading;
      failures++;
      if (stoppedBy.kind !== 'unreachable' || failures >= maxFailures) client.stop = stopOf(stoppedBy);
      return keeper.add([], [{ id, run, reason: errorOf(stoppedBy).message }]);
    }
    const createdAt = new Date(run['created_at'] as string);
    if (oldest === null || createdAt < oldest) oldest = createdAt;
    report(++read, Math.max(read, total));
    if ('unreadBecause' in reading) return keeper.add([], [{ id, run, reason: reading.unreadBecause }]);
    if (reading.problem !== null) problems.push(`${feed.repository}: ${reading.problem}`);
    return keeper.add(reading.read ? [reading.read] : [], []);
  }

  for (;;) {
    if (underWay.size >= atOnce) await Promise.race(underWay);
    const next = client.stop || signal.aborted ? null : await takeNewest(feeds);
    if (!next || client.stop) break;
    const reading = readOne(next).finally(() => underWay.delete(reading));
    underWay.add(reading);
  }
  await Promise.all(underWay);
  const unread = await keeper.end();
  if (unread > 0) problems.push(`${unread} ${unread === 1 ? 'run' : 'runs'} could not be read.`);
  return {
    read,
    total: Math.max(read, total),
    stoppedBy: client.stop,
    problems,
    readSince: client.stop ? oldest : null,
  };
}

type PacedClient = GitHubClient & { stop: Stop | null };

/** Stays below GitHub's requests per minute. If a wait would pass the deadline, `stop` says why. */
function pacedClient({ clock }: BackfillProgram, { client, deadline, signal }: Asked): PacedClient {
  const sent: number[] = [];
  const paced: PacedClient = { ...client, stop: null, get: (...request) => get(...request) };

  async function waitUntil(until: Date, stop: Stop): Promise<void> {
    if (until >= deadline) paced.stop ??= stop;
    else
      await sleep(Math.max(0, until.getTime() - clock.now().getTime()), undefined, { signal }).catch(
        () => {},
      );
  }

  async function get(...request: Parameters<GitHubClient['get']>): ReturnType<GitHubClient['get']> {
    for (;;) {
      const now = clock.now().getTime();
      const [first = 0] = sent.length < requestsPerMinute ? [] : sent;
      const free = first === 0 ? now : first + 60_000;
      const time: Stop = { reason: 'time', message: null };
      if (clock.now() >= deadline) paced.stop ??= time;
      if (free > now) await waitUntil(new Date(free), time);
      if (paced.stop || signal.aborted) return unreadable;
      if (sent.length >= requestsPerMinute) sent.shift();
      sent.push(clock.now().getTime());
      const answer = await client.get(...request);
      if (answer.kind !== 'wait') return answer;
      await waitUntil(answer.until, stopOf(answer));
      if (paced.stop) return answer;
    }
  }
  return paced;
}

function stopOf(obstacle: Obstacle): Stop {
  const reason = obstacle.kind === 'wait' ? 'rate_limit' : 'unreachable';
  return { reason, message: errorOf(obstacle).message };
}

function errorOf(obstacle: Obstacle): PublicError {
  if (obstacle.kind === 'unauthenticated')
    return new PublicError('forbidden', 'bad_credentials', badCredentials);
  if (obstacle.kind === 'wait')
    return new PublicError('unavailable', 'rate_limit', rateLimitText(obstacle.until));
  const { kind, message } = obstacle;
  if (kind === 'unreachable') return new PublicError('unavailable', kind, message);
  return new PublicError(obstacle.status === 404 ? 'not_found' : 'forbidden', kind, message);
}

/** The runs of a repository, newest first. */
type Feed = {
  repository: string;
  total: number;
  ahead: Item[];
  /** Null at the end of the list. */
  more: (() => Promise<Item[] | null>) | null;
};

/** Throws if no repository can be read. */
async function startFeeds(client: PacedClient, asked: Asked): Promise<{ feeds: Feed[]; problems: string[] }> {
  const feeds: Feed[] = [];
  const errors: PublicError[] = [];
  const left = [...asked.repositories];
  const worker = async () => {
    for (let repository = left.shift(); repository !== undefined; repository = left.shift()) {
      if (client.stop || asked.signal.aborted) return;
      const feed = await startFeed(client, repository, asked);
      if (feed instanceof PublicError) errors.push(feed);
      else if (feed) feeds.push(feed);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const [first] = errors;
  if (first && (feeds.length === 0 || first.code === 'bad_credentials')) throw first;
  const unlisted = asked.repositories.length - feeds.length - errors.length;
  const problems = [
    ...errors.map(({ message }) => message),
    ...(unlisted > 0 ? [`${unlisted} of ${asked.repositories.length} repositories were not read.`] : []),
  ];
  return { feeds, problems };
}

async function startFeed(
  client: PacedClient,
  repository: string,
  { since, until, signal }: Asked,
): Promise<Feed | PublicError | null> {
  const span = sliceBetween(since, until);
  const first = await listPage(client, repository, { ...span, page: 1 }, signal);
  if (!('items' in first)) {
    return client.stop || signal.aborted ? null : errorOf(first);
  }
  const list = pagesAfter(client, repository, span, first, signal);
  const more = async () => (await list.next()).value ?? null;
  return { repository, total: first.total, ahead: [...first.items], more };
}

type Page = { total: number; items: Item[] };

async function listPage(
  { get }: PacedClient,
  repository: string,
  { page, ...slice }: Slice & { page: number },
  signal: AbortSignal,
): Promise<Page | Obstacle> {
  const query = { created: createdQuery(slice), per_page: runsPerPage, page };
  const answer = await get(repository, '/actions/runs', { query, signal });
  if (answer.kind !== 'data') return obstacleOf(answer);
  const list = readPage(answer.data, 'workflow_runs');
  return list ? { ...list, items: list.items.filter((run) => idOf(run) !== null) } : unreadable;
}

/** GitHub lists only a thousand runs of a query, so the next ends at the oldest one listed. */
async function* pagesAfter(
  client: PacedClient,
  repository: string,
  { from, to: end }: Slice,
  first: Page,
  signal: AbortSignal,
): AsyncGenerator<Item[], undefined> {
  const seen = new Set(first.items.map(idOf));
  let [page, to, list] = [1, end, first];
  for (;;) {
    const isLastPage = page * runsPerPage >= Math.min(list.total, maxListed) || list.items.length === 0;
    if (isLastPage && list.total < maxListed) return;
    const oldest = list.items.at(-1)?.['created_at'];
    if (isLastPage && typeof oldest !== 'string') return;
    if (isLastPage) to = Math.min(to - 1, Math.floor(Date.parse(oldest as string) / 1_000));
    if (to < from) return;
    page = isLastPage ? 1 : page + 1;
    const next = await listPage(client, repository, { from, to, page }, signal);
    if (!('items' in next)) {
      if (!client.stop && !signal.aborted) client.stop = stopOf(next);
      return;
    }
    list = next;
    const unseen = list.items.filter((run) => !seen.has(idOf(run)));
    for (const run of unseen) seen.add(idOf(run));
    yield unseen;
  }
}

async function takeNewest(feeds: readonly Feed[]): Promise<{ feed: Feed; run: Item } | null> {
  await Promise.all(feeds.map(fill));
  const [newest] = feeds.filter(({ ahead }) => ahead.length > 0).toSorted((a, b) => headOf(b) - headOf(a));
  return newest ? { feed: newest, run: newest.ahead.shift()! } : null;
}

async function fill(feed: Feed): Promise<void> {
  while (feed.ahead.length === 0 && feed.more) {
    const items = await feed.more();
    if (items) feed.ahead = [...items];
    else feed.more = null;
  }
}

function headOf({ ahead: [run] }: Feed): number {
  return Date.parse(run?.['created_at'] as string);
}

function recordInTurn(program: BackfillProgram, orgId: string) {
  let read: ReadRun[] = [];
  let unread: UnreadRunItem[] = [];
  let unreadCount = 0;
  let last: Promise<void> = Promise.resolve();
  const recordAfter = async (before: Promise<void>, runs: ReadRun[], others: UnreadRunItem[]) => {
    await before;
    await record(program, orgId, runs, others);
  };
  const flush = () => {
    last = recordAfter(last, read, unread);
    [read, unread] = [[], []];
    return last;
  };
  return {
    add: async (runs: readonly ReadRun[], others: readonly UnreadRunItem[]) => {
      read.push(...runs);
      unread.push(...others);
      unreadCount += others.length;
      if (read.length + unread.length >= runsPerRecord) await flush();
    },
    end: async () => {
      await flush();
      return unreadCount;
    },
  };
}

const repositoriesPerPage = 100;
const maxRepositories = 200;

type Repositories = { repositories: string[]; isCut: boolean };

/** `owner/name` itself, or the unarchived repositories of an organization or person, last pushed first. */
export async function findRepositories(
  client: GitHubClient,
  target: string,
  signal: AbortSignal,
): Promise<Repositories> {
  if (!target.includes('/')) return listRepositories(client, target, signal);
  const answer = await client.get(target, '', { signal });
  if (answer.kind !== 'data') throw errorOf(obstacleOf(answer));
  const { full_name: name } = answer.data as Item;
  return { repositories: [typeof name === 'string' ? name : target], isCut: false };
}

async function listRepositories(
  { getOfOrganization, getOfUser }: GitHubClient,
  owner: string,
  signal: AbortSignal,
): Promise<Repositories> {
  const found: string[] = [];
  let list = getOfOrganization;
  for (let page = 1; ; page++) {
    const query = { sort: 'pushed', direction: 'desc', per_page: repositoriesPerPage, page };
    let answer = await list(owner, '/repos', { query, signal });
    if (answer.kind === 'refused' && answer.status === 404 && list !== getOfUser) {
      list = getOfUser;
      answer = await list(owner, '/repos', { query, signal });
    }
    if (answer.kind !== 'data') throw errorOf(obstacleOf(answer));
    const items = Array.isArray(answer.data) ? (answer.data as Item[]) : [];
    for (const { full_name: name, archived, disabled } of items)
      if (typeof name === 'string' && archived !== true && disabled !== true) found.push(name);
    const isLast = items.length < repositoriesPerPage;
    if (isLast || found.length >= maxRepositories)
      return {
        repositories: found.slice(0, maxRepositories),
        isCut: !isLast || found.length > maxRepositories,
      };
  }
}

function rateLimitText(until: Date | null): string {
  const at = until ? ` It resets at ${until.toISOString().slice(11, 16)} UTC.` : '';
  return `GitHub's hourly request limit is used up.${at}`;
}
