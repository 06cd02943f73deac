import type { Day } from '../../platform/lib/days.ts';
import type { WorkflowFiles } from './plan.ts';
import { always, type PriceBook } from './priceBook.ts';

export type Rounding = 'minute' | 'second';

/** What a provider reports about a job's runner; group and name are null until a runner takes the job. */
export type RunnerFacts = {
  labels: readonly string[];
  runnerGroup: string | null;
  runnerName: string | null;
};

export type RunnerClassification = {
  kind: string;
  rule: string;
  confidence: 'certain' | 'guessed';
};

/** A kind of runner with known prices. The id is stored, shown and accepted as a label: never rename one. */
export type RunnerKind = {
  id: string;
  title: string;
  system: 'linux' | 'windows' | 'macos' | null;
  cores: number | null;
};

/** What a provider's plans take off its list prices. */
type Allowance = {
  /** Standard runners: they cost nothing in free runs, and use included minutes elsewhere. */
  runnerKinds: readonly string[];
  /** The runner kind of which a minute uses one included minute. */
  unitKind: string;
  isFreeRun: (run: { isPrivate: boolean | null; workflowPath: string | null }) => boolean;
};

export type PublishedList = PriceBook & { source: string; checkedOn: Day };

/** A CI system: everything that differs between providers, except how its events are read. */
export type Provider = {
  /** The stored provider of its runs; a self-hosted server adds a dot and its host. Never rename one. */
  id: string;
  title: string;
  /** The name of the service on its invoices; null for a provider without invoices. */
  service: string | null;
  kinds: readonly RunnerKind[];
  /** One list, which is part of every shipped one, or several to choose from. */
  priceLists: readonly PublishedList[];
  /**
   * Classifies a job's runner by the provider's own rules; null if none matches. May use of the runner's name only
   * whether there is one and whether it is a `hostedName`: other names are priced together.
   */
  classifyRunner: (job: RunnerFacts & { provider: string }) => RunnerClassification | null;
  explainRule: (runner: RunnerFacts & RunnerClassification, title: string) => string | null;
  hostedName: HostedName | null;
  /** Null if only a discount can apply. */
  allowance: Allowance | null;
  rounding: Rounding;
  timeLimitHours: number;
  /** False if a repeated job becomes another job of the same run; then names are otherwise unique in a run. */
  hasAttempts: boolean;
  /** Whether it creates jobs before they can start, so that their age is no waiting time. */
  createsJobsEarly: boolean;
  /** Changes to a workflow file against waste; null if the file cannot express one. */
  yaml: { cancelSuperseded: string | null; limitTime: ((minutes: bigint) => string) | null };
  /** Null for a provider whose workflow files nobody reads yet. */
  workflowFiles: WorkflowFiles | null;
  pagesOf: (run: PlacedRun) => Partial<RunPages>;
  /** The announced fee per minute on self-hosted runners in nano-dollars, for a what-if. */
  announcedSelfHostedFee: bigint | null;
};

/** `host` is that of a self-hosted server. */
type PlacedRun = {
  host: string | null;
  runId: string;
  repository: string;
  branch: string | null;
  commit: string | null;
  pullRequest: number | null;
};

export type RunPages = Record<'run' | 'repository' | 'branch' | 'commit' | 'pullRequest', string | null>;

const unlistedKinds: readonly RunnerKind[] = [
  { id: 'self_hosted', title: 'Self-hosted', system: null, cores: null },
  { id: 'third_party', title: 'Third-party runner', system: null, cores: null },
];

/** How the names of hosted runners begin, in lower case; with an example. */
type HostedName = { prefixes: readonly string[]; example: string };

export type Providers = {
  list: readonly Provider[];
  of: (provider: string) => Provider | null;
  ofKind: (kind: string) => Provider | null;
  kind: (id: string) => RunnerKind | null;
  kindIds: readonly string[];
  hostedNames: readonly HostedName[];
  /** The shipped price lists; the first one is the default. */
  books: readonly PriceBook[];
};

export function createProviders(list: readonly Provider[]): Providers {
  const byId = new Map(list.map((provider) => [provider.id, provider]));
  const byKind = new Map(list.flatMap((provider) => provider.kinds.map(({ id }) => [id, provider])));
  const kinds = [...list.flatMap((provider) => provider.kinds), ...unlistedKinds];
  const kindById = new Map(kinds.map((kind) => [kind.id, kind]));
  return {
    list,
    of: (provider) => byId.get(familyOf(provider)) ?? null,
    ofKind: (kind) => byKind.get(kind) ?? null,
    kind: (id) => kindById.get(id) ?? null,
    kindIds: kinds.map(({ id }) => id),
    hostedNames: [...new Set(list.flatMap(({ hostedName }) => hostedName ?? []))],
    books: shippedBooks(list),
  };
}

/** The id without a self-hosted server's host; in SQL `split_part(provider, '.', 1)`. */
function familyOf(provider: string): string {
  return provider.split('.', 1)[0]!;
}

/** One for each list of the provider that has several, completed with the lists of all others. */
function shippedBooks(list: readonly Provider[]): PriceBook[] {
  const chosenFrom = list.find(({ priceLists }) => priceLists.length > 1)?.priceLists ?? [];
  const inEach = list.filter(({ priceLists }) => priceLists.length === 1);
  const others = Object.assign({}, ...inEach.map(({ priceLists }) => priceLists[0]!.prices));
  const unlisted = Object.fromEntries(unlistedKinds.map(({ id }) => [id, always('0')]));
  return chosenFrom.map(({ id, name, end, prices }) => ({
    id,
    name,
    prices: {
      ...prices,
      ...others,
      ...unlisted,
    },
    ...(end && { end }),
  }));
}

export function successorOf({ end }: PriceBook, day: Day, { books }: Providers): PriceBook | null {
  if (!end || day <= end.lastDay) return null;
  return books.find(({ id }) => id === end.nextBookId)!;
}

/** The list to name on a receipt: a shipped list contains lists of several providers. */
export function listNameOf(book: { id: string; name: string }, kind: string, providers: Providers): string {
  const isShipped = providers.books.some(({ id }) => id === book.id);
  const lists = providers.ofKind(kind)?.priceLists ?? [];
  return isShipped && lists.length === 1 ? lists[0]!.name : book.name;
}
