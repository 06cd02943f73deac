import { openAppClients, unanswered, type AppProgram, type Unanswered } from './appClients.ts';

type Asked = {
  provider: string;
  repository: string;
  headRepository: string;
  headBranch: string;
  headSha: string | null;
  installationId: string;
};

/** `number` is null if there is none, or GitHub does not show it. */
export type FoundPullRequest =
  | { kind: 'data'; number: number | null }
  | Exclude<Unanswered, { kind: 'refused' }>;

/** Only with the App that got the event, and in its own repository. */
export async function findPullRequest(
  program: AppProgram,
  orgId: string,
  asked: Asked,
): Promise<FoundPullRequest> {
  const { provider, repository, headRepository, headBranch, installationId } = asked;
  const { clients } = await openAppClients(program, orgId, { provider, sourceId: null });
  const client = clients.find((each) => each.installationId === installationId);
  if (!client) return { kind: 'data', number: null };
  const [owner] = headRepository.split('/');
  const query = { head: `${owner}:${headBranch}`, state: 'all', per_page: 100 };
  const answer = await client.get(repository, '/pulls', { query });
  if (answer.kind === 'data') return { kind: 'data', number: numberIn(answer.data, asked) };
  if (answer.kind === 'unchanged') return { kind: 'data', number: null };
  const why = unanswered(answer, 'the list of pull requests');
  return why.kind === 'refused' ? { kind: 'data', number: null } : why;
}

type Listed = {
  number?: unknown;
  state?: unknown;
  base?: { repo?: { full_name?: unknown } | null };
  head?: { sha?: unknown; ref?: unknown; repo?: { full_name?: unknown } | null };
};

/** A branch may have had several: the one with this commit counts, otherwise the only open one. */
function numberIn(data: unknown, asked: Asked): number | null {
  if (!Array.isArray(data)) return null;
  const isSame = (a: unknown, b: string) => typeof a === 'string' && a.toLowerCase() === b.toLowerCase();
  const ofBranch = (data as Listed[]).filter(
    ({ base, head }) =>
      isSame(base?.repo?.full_name, asked.repository) &&
      isSame(head?.repo?.full_name, asked.headRepository) &&
      head?.ref === asked.headBranch,
  );
  const exact = ofBranch.filter(({ head }) => asked.headSha !== null && head?.sha === asked.headSha);
  const candidates = exact.length > 0 ? exact : ofBranch.filter(({ state }) => state === 'open');
  const [only] = candidates;
  const isNumber = candidates.length === 1 && Number.isSafeInteger(only?.number);
  return isNumber ? (only!.number as number) : null;
}
