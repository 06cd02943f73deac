import type { Program } from '../../context.ts';
import { listAppCredentials } from '../backfills/credentials.ts';
import type { GitHubAnswer, GitHubClient } from '../backfills/gitHubClient.ts';
import { providerOfApi } from './manifest.ts';

type Place = {
  provider: string;
  repository: string;
  number: number;
  headSha: string | null;
  /** The App that wrote last. */
  sourceId: string | null;
  commentId: string | null;
  isCommentDeleted: boolean;
  checkId: string | null;
};

type Report = { markdown: string; check: { conclusion: string; title: string; summary: string } };

type Ids = Pick<Place, 'sourceId' | 'commentId' | 'isCommentDeleted' | 'checkId'>;

type Outcome =
  | { kind: 'written' }
  | { kind: 'wait'; until: Date; message: string }
  | { kind: 'unreachable'; message: string }
  | { kind: 'refused'; message: string };

/** `ids` has what was written, also if the rest failed. */
export type WrittenReport = { ids: Ids } & Outcome;

type WriterProgram = Pick<Program, 'db' | 'vault' | 'egress' | 'clock'> & { gitHubApiUrl: string };

const marker = '<!-- runcost -->';
const checkName = 'Runcost';
const perPage = 100;
/** Of 100 comments each. A longer discussion gets another comment. */
const maxPages = 20;

/** Keeps one comment and one check of a pull request up to date, with an App that is installed in its repository. */
export async function writeReport(
  program: WriterProgram,
  orgId: string,
  place: Place,
  report: Report,
): Promise<WrittenReport> {
  const { sourceId: _, commentId, isCommentDeleted, checkId } = place;
  const ids = { sourceId: place.sourceId, commentId, isCommentDeleted, checkId };
  if (place.provider !== providerOfApi(program.gitHubApiUrl))
    return {
      ids,
      kind: 'refused',
      message: `The runs are of ${place.provider}, and GITHUB_API_URL is of another server.`,
    };
  const apps = await listAppCredentials(program, orgId);
  const inOrder = apps.toSorted(
    (a, b) => Number(b.sourceId === ids.sourceId) - Number(a.sourceId === ids.sourceId),
  );
  const { createGitHubClient } = await import('../backfills/gitHubClient.ts');
  let found: WrittenReport = {
    ids,
    kind: 'refused',
    message: 'No source has the credentials of a GitHub App.',
  };
  for (const { sourceId, credentials } of inOrder) {
    const appId = credentials.kind === 'app' ? credentials.appId : null;
    const client = createGitHubClient(program, credentials);
    found = await writeAs({ ...client, appId }, place, report, { ...ids, sourceId });
    if (found.kind !== 'refused') return found;
  }
  return found;
}

type AppClient = GitHubClient & { appId: string | null };

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
  // After a crash, the comment can be there without our knowing its id.
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
  switch (answer.kind) {
    case 'data':
    case 'unchanged':
      return { kind: 'written' };
    case 'wait':
      return {
        kind: 'wait',
        until: answer.until,
        message: `GitHub asks to wait until ${answer.until.toISOString()}.`,
      };
    case 'unreachable':
      return { kind: 'unreachable', message: `GitHub cannot be reached: ${answer.message}.` };
    case 'unauthenticated':
      return {
        kind: 'refused',
        message:
          'GitHub gives the App no access: its installation was suspended or removed, or its key was replaced.',
      };
    case 'refused':
      return {
        kind: 'refused',
        message:
          answer.status === 404
            ? 'The App is not installed in this repository.'
            : `GitHub refuses ${right}, and a person must accept it at GitHub: ${answer.message}`,
      };
  }
}

/** `appId` is null where GitHub does not say which App wrote it. */
type FoundComment = { id: string; body: string; isBot: boolean; appId: string | null };

/** Another App, or the Action, keeps its own comment. */
function isOwn({ body, isBot, appId }: FoundComment, ownId: string | null): boolean {
  return isBot && body.startsWith(marker) && (appId === null || ownId === null || appId === ownId);
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
