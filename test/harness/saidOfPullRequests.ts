import fc from 'fast-check';
import { recordPullRequests } from '../../src/ledger/pullRequests/pullRequests.ts';
import type { SharedTestApp, TestOrganization } from './app.ts';

const anyPullRequest = fc.record({
  provider: fc.constantFrom('jenkins', 'drone'),
  repository: fc.constantFrom('acme/api', 'Acme/Web', 'Acme/Ops'),
  state: fc.constantFrom('open', 'draft', 'merged', 'closed'),
  author: fc.constantFrom('mona', null),
});

export type SaidOfPullRequest = typeof anyPullRequest extends fc.Arbitrary<infer T> ? T : never;

type Place = { provider: string; repository: string };
const keyOf = ({ provider, repository }: Place) => `${provider} ${repository.toLowerCase()}`;

/** What providers say of pull request 7 of some repositories, long after its runs. */
export const anySaidOfPullRequests = fc.uniqueArray(anyPullRequest, { selector: keyOf, maxLength: 6 });

const number = 7;

export function sayOfPullRequests(
  { app }: SharedTestApp,
  { orgId }: TestOrganization,
  said: readonly SaidOfPullRequest[],
): Promise<void> {
  const unsaid = { number, title: null, createdAt: null, endedAt: null, observedAt: new Date(0) };
  return recordPullRequests(
    app,
    orgId,
    said.map((each) => ({ ...each, ...unsaid })),
  );
}

/** The values of the dimensions for a run. */
export function saidOf(
  { pull_request: given, ...place }: Place & { pull_request: number | null },
  said: readonly SaidOfPullRequest[],
) {
  const found = given === number ? said.find((each) => keyOf(each) === keyOf(place)) : undefined;
  return {
    pull_request_state: given === null ? null : (found?.state ?? 'unknown'),
    pull_request_author: found?.author ?? null,
  };
}
