import type { GitHubAnswer, GitHubClient } from '../backfills/gitHubClient.ts';
import {
  openAppClients,
  unanswered,
  type AppClient,
  type AppProgram,
  type Unanswered,
} from './appClients.ts';

type Place = {
  provider: string;
  repository: string;
  number: number;
  headSha: string | null;
  /** The source of the App that wrote last. */
  sourceId: string | null;
  commentId: string | null;
  isCommentDeleted: boolean;
  checkId: string | null;
};

type Report = { markdown: string; check: { conclusion: string; title: string; summary: string } };

type Ids = Pick<Place, 'sourceId' | 'commentId' | 'isCommentDeleted' | 'checkId'>;

type Outcome = { kind: 'written' } | Unanswered;

/** `ids` has what was written, even if the rest failed. */
export type WrittenReport = { ids: Ids } & Outcome;

const marker = '<!-- runcost -->';
const checkName = 'Runcost';
const perPage = 100;
/** Pages of 100 comments. A longer discussion gets another comment. */
const maxPages = 20;

/** Keeps one comment and one check up to date, with an App that is installed in the repository. */
export async function writeReport(
  program: AppProgram,
  orgId: string,
  place: Place,
  report: Report,
): Promise<WrittenReport> {
  const { sourceId: _, commentId, isCommentDeleted, checkId } = place;
  const ids = { sourceId: place.sourceId, commentId, isCommentDeleted, checkId };
  const { clients, fault } = await openAppClients(program, orgId, place);
  let found: WrittenReport = { ids, kind: 'refused', message: fault };
  for (const client of clients) {
    found = await writeAs(client, place, report, { ...ids, sourceId: client.sourceId });
    if (found.kind !== 'refused') return found;
  }
  return found;
}

async function writeAs(client: AppClient, place: Place, report: Report, known: Ids): Promise<WrittenReport> {
  const ids = { ...known };
  const comment = await writeComment(client, place, report.markdown, ids);
  if (comment.kind !== 'written') return { ids, ...comment };
  return { ids, ...(await writeCheck(client, place, report.check, ids)) };
}

/** A comment that somebody deleted is not written again. */
async function writeComment(
  client: AppClient,
  { repository, number }: Place,
  markdown: string,
  ids: Ids,
): Promise<Outcome> {
  if (ids.isCommentDeleted) return { kind: 'written' };
  const isKnown = ids.commentId !== null;
  const thread = `/issues/${number}/comments`;
  const body = { body: markdown };
  if (isKnown) {
    const answer = await client.write(repository, 'PATCH', `/issues/comments/${ids.commentId}`, body);
    if (!isMissing(answer)) return outcomeOf(answer, commentRight);
  }
  // After a crash, the comment can exist without our knowing its id.
  for (let page = 1; page <= maxPages; page++) {
    const listed = await client.get(repository, thread, { query: { per_page: perPage, page } });
    if (listed.kind !== 'data') return outcomeOf(listed, commentRight);
    const comments = commentsIn(listed.data);
    const own = comments.find((comment) => isOwn(comment, client.appId));
    if (own) {
      ids.commentId = own.id;
      const answer = await client.write(repository, 'PATCH', `/issues/comments/${own.id}`, body);
      return outcomeOf(answer, commentRight);
    }
    if (comments.length < perPage) break;
  }
  if (isKnown) {
    ids.commentId = null;
    ids.isCommentDeleted = true;
    return { kind: 'written' };
  }
  const answer = await client.write(repository, 'POST', thread, body);
  if (answer.kind === 'data') ids.commentId = idIn(answer.data);
  return outcomeOf(answer, commentRight);
}

async function writeCheck(
  client: GitHubClient,
  { repository, headSha }: Place,
  { conclusion, title, summary }: Report['check'],
  ids: Ids,
): Promise<Outcome> {
  if (headSha === null) return { kind: 'written' };
  const check = { name: checkName, status: 'completed', conclusion, output: { title, summary } };
  if (ids.checkId !== null) {
    const answer = await client.write(repository, 'PATCH', `/check-runs/${ids.checkId}`, check);
    if (!isMissing(answer)) return outcomeOf(answer, checkRight);
  }
  const answer = await client.write(repository, 'POST', '/check-runs', { ...check, head_sha: headSha });
  if (answer.kind === 'data') ids.checkId = idIn(answer.data);
  return outcomeOf(answer, checkRight);
}

const commentRight = 'the comment; the App needs "Pull requests: write"';
const checkRight = 'the check; the App needs "Checks: write"';

function isMissing(answer: GitHubAnswer<unknown>): boolean {
  return answer.kind === 'refused' && (answer.status === 404 || answer.status === 410);
}

function outcomeOf(answer: GitHubAnswer<unknown>, right: string): Outcome {
  if (answer.kind === 'data' || answer.kind === 'unchanged') return { kind: 'written' };
  return unanswered(answer, right);
}

/** `appId` is null if GitHub does not say which App wrote it. */
type FoundComment = { id: string; body: string; isBot: boolean; appId: string | null };

/** Another App, or the Action, has its own comment. */
function isOwn({ body, isBot, appId }: FoundComment, ownId: string): boolean {
  return isBot && body.startsWith(marker) && (appId === null || appId === ownId);
}

type ListedComment = {
  id?: unknown;
  body?: unknown;
  user?: { type?: unknown } | null;
  performed_via_github_app?: { id?: unknown } | null;
};

function commentsIn(data: unknown): FoundComment[] {
  if (!Array.isArray(data)) return [];
  return data.map(({ id, body, user, performed_via_github_app: app }: ListedComment) => ({
    id: String(id),
    body: typeof body === 'string' ? body : '',
    isBot: user?.type === 'Bot',
    appId: typeof app?.id === 'number' ? String(app.id) : null,
  }));
}

function idIn(data: unknown): string | null {
  const { id } = data as { id?: unknown };
  return typeof id === 'number' ? String(id) : null;
}
