import { dehydrate, type DehydratedState, type Query, type QueryClient } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { prerender } from 'react-dom/static';
import { clearColors } from './analysis/colors.ts';
import { setSend } from './api/client.ts';
import { organizationAsked } from './api/organization.ts';
import { adopt, sessionQuery } from './api/session.ts';
import { App, createQueryClient } from './App.tsx';
import { drawnParts } from './ui/late.ts';

type Asked = {
  /** The full URL, as in the browser. */
  address: string;
  nonce: string;
  /** How long the page may wait for answers. */
  maxWaitMilliseconds: number;
  /** Answers a request of the page on behalf of its reader. */
  send: (request: Request) => Promise<Response>;
  /** Called once if a part of the page throws. The browser draws that part again. */
  onBroken: (error: unknown) => void;
};

/** A page as HTML, with the answers in it, so that the browser does not request them again. */
export type Drawn = { html: string; answers: { queries: DehydratedState; parts: string[] } };

/** Some queries depend on the answers of others, such as the change after the costs. Each level needs another draft. */
const maxDrafts = 4;

type Question = Parameters<QueryClient['query']>[0];

/**
 * The queries of the last page per organization, role and address. The next page sends them at once and needs only one
 * draft.
 */
const remembered = new Map<string, Question[]>();
const maxRemembered = 500;
/** Marks a query sent in advance, until the page asks for it too. */
const guess = {};

function remember(place: string, queries: readonly Query[]): void {
  remembered.delete(place);
  const questions = queries.map(({ queryKey, options: { queryFn } }) => ({ queryKey, queryFn, meta: guess }));
  remembered.set(place, questions as Question[]);
  const [oldest] = remembered.keys();
  if (remembered.size > maxRemembered) remembered.delete(oldest!);
}

/**
 * Renders a page: drafts find out what it queries, and the last one contains the answers. Null if the session is not
 * known in time. Renders one page at a time, because the address and the organization are global, as in a browser.
 */
export async function drawPage({
  address,
  nonce,
  maxWaitMilliseconds,
  send,
  onBroken,
}: Asked): Promise<Drawn | null> {
  Object.assign(globalThis, { location: new URL(address) });
  setSend(send);
  const queryClient = createQueryClient();
  queryClient.setDefaultOptions({ queries: { ...queryClient.getDefaultOptions().queries, retry: false } });
  const deadline = performance.now() + maxWaitMilliseconds;
  // Only the browser may enter an organization that the address names.
  const reading = queryClient.query(sessionQuery(organizationAsked())).catch(() => undefined);
  const session = await inTime(deadline, reading);
  if (session === undefined) return null;
  adopt(queryClient, session);
  const app = (
    <StrictMode>
      <App queryClient={queryClient} nonce={nonce} />
    </StrictMode>
  );
  // The sign-in page, which anyone can request at any address.
  if (session === null) return drawnOf(queryClient, await htmlOf(app, onBroken));
  const place = `${session.organization.id} ${session.role} ${address}`;
  const guesses = (remembered.get(place) ?? []).map((question) =>
    queryClient.query(question).catch(() => {}),
  );
  await inTime(deadline, Promise.all(guesses));
  const asked = new Set<Query>();
  for (let draft = 1; ; draft++) {
    const errors: unknown[] = [];
    const html = await htmlOf(app, (error) => errors.push(error));
    const unasked = queryClient
      .getQueryCache()
      .findAll({ predicate: (query) => isWanted(query) && !asked.has(query) });
    if (unasked.length === 0 || draft === maxDrafts || performance.now() >= deadline) {
      await queryClient.cancelQueries();
      queryClient.removeQueries({ predicate: ({ meta }) => meta === guess });
      const isAsked = (query: Query) => query.state.status !== 'pending' || isWanted(query);
      remember(place, queryClient.getQueryCache().findAll({ predicate: isAsked }));
      if (errors.length > 0) onBroken(errors[0]);
      return drawnOf(queryClient, html);
    }
    const answered = unasked.map((query) => (asked.add(query), query.fetch().catch(() => {})));
    await inTime(deadline, Promise.all(answered));
  }
}

/** The page for visitors without a session. It is rendered once, by the build. */
export async function drawSignIn(nonce: string): Promise<Drawn> {
  const queryClient = createQueryClient();
  queryClient.setQueryData(sessionQuery(null).queryKey, null);
  const errors: unknown[] = [];
  const html = await htmlOf(
    <StrictMode>
      <App queryClient={queryClient} nonce={nonce} />
    </StrictMode>,
    (error) => errors.push(error),
  );
  if (errors.length > 0) throw errors[0];
  return drawnOf(queryClient, html);
}

function drawnOf(queryClient: QueryClient, html: string): Drawn {
  // `loadPage` loads the page itself.
  const parts = [...drawnParts].filter((name) => name !== 'Page');
  return { html, answers: { queries: dehydrate(queryClient), parts } };
}

/** Undefined if the value is not there by the deadline. */
function inTime<Value>(deadline: number, value: Promise<Value>): Promise<Value | undefined> {
  const late = new Promise<undefined>((resolve) => {
    setTimeout(() => resolve(undefined), Math.max(0, deadline - performance.now()));
  });
  return Promise.race([value, late]);
}

/** Renders everything at once, because streamed parts would need inline scripts. */
async function htmlOf(app: React.ReactNode, onError: (error: unknown) => void): Promise<string> {
  clearColors();
  drawnParts.clear();
  const { prelude } = await prerender(app, { progressiveChunkSize: Infinity, onError });
  return new Response(prelude as ReadableStream).text();
}

/** Whether a query is enabled and has no answer yet. */
function isWanted({ state, options }: Query): boolean {
  return state.status === 'pending' && (options as { enabled?: boolean }).enabled !== false;
}
