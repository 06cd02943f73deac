import type { Day } from '../../platform/lib/days.ts';
import { always, type PriceBook } from './priceBook.ts';

/** By which part of a minute time is rounded up. */
export type Rounding = 'minute' | 'second';

/** What a provider reports of the runner of a job; group and name are null until a runner took the job. */
export type RunnerFacts = {
  labels: readonly string[];
  runnerGroup: string | null;
  runnerName: string | null;
};

export type RunnerClassification = {
  kind: string;
  /** Name of the rule that decided, for the receipt. */
  rule: string;
  confidence: 'certain' | 'guessed';
};

/** A kind of runner that prices are known for. The id is stored, shown and accepted as a label: never rename one. */
export type RunnerKind = {
  id: string;
  title: string;
  system: 'linux' | 'windows' | 'macos' | null;
  /** Null where the name of the runner does not state them. */
  cores: number | null;
};

/** A provider's price list, as it was at its source on a day. */
export type PublishedList = PriceBook & { source: string; checkedOn: Day };

/** A CI system: everything that differs between them, apart from reading its events. */
export type Provider = {
  /** Runs are stored under it; those of a server of one's own under it, a dot and the host. Never rename one. */
  id: string;
  title: string;
  /** What its invoices call running jobs; null for what invoices nobody. */
  service: string | null;
  /** The runners that it rents out. */
  kinds: readonly RunnerKind[];
  /** One, which is part of every book; or several, of which an organization chooses one. */
  priceLists: readonly PublishedList[];
  /**
   * By its own rules, which kind of runner a job ran on; null where none matches. Of a runner's name only whether there
   * is one and whether it is a `hostedName` may decide: jobs that differ by it otherwise are priced together.
   */
  classifyRunner: (job: RunnerFacts & { provider: string }) => RunnerClassification | null;
  /** How one of its rules decided, in one sentence; null where the rule is another's. */
  explainRule: (runner: RunnerFacts & RunnerClassification, title: string) => string | null;
  /** Names of its hosted runners in lower case, as a regular expression that PostgreSQL reads too, and one of them. */
  hostedName: { pattern: string; example: string } | null;
  rounding: Rounding;
  /** When it ends jobs on its own runners. */
  timeLimitHours: number;
  /** False where a job that ran again is another job of the same run, and no other two of its jobs have one name. */
  hasAttempts: boolean;
  /** Whether jobs exist before they could start, so that the time since then is no wait for a runner. */
  createsJobsEarly: boolean;
  /** What to write into a workflow's file against waste; null where the file cannot express it. */
  yaml: { cancelSuperseded: string | null; limitTime: ((minutes: bigint) => string) | null };
  /** The page of a run; null where the run does not determine it. */
  runUrl: (run: { host: string | null; runId: string; repository: string }) => string | null;
  /** USD in nanos that it announced a minute on one's own runners would cost, for a what-if. */
  announcedSelfHostedFee: bigint | null;
};

/** Runners that no provider rents out: any of them may have run on these. */
const unlistedKinds: readonly RunnerKind[] = [
  { id: 'self_hosted', title: 'Self-hosted', system: null, cores: null },
  { id: 'third_party', title: 'Runner of another company', system: null, cores: null },
];

/** All providers that the program knows, and what follows from them together. */
export type Providers = {
  list: readonly Provider[];
  /** The one whose rules a run follows, by what the run is stored under; null where nobody described it. */
  of: (provider: string) => Provider | null;
  /** The one that rents out a kind of runner; null for kinds that nobody does. */
  ofKind: (kind: string) => Provider | null;
  kind: (id: string) => RunnerKind | null;
  /** The ids of all kinds that a price book can have a price for, in the order of a book. */
  kindIds: readonly string[];
  /** Each `hostedName` once. */
  hostedNames: readonly { pattern: string; example: string }[];
  /** The books that come with the program; the first one is the default. */
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

/** The provider's id without the host of a server of one's own. SQL has the same as `split_part(provider, '.', 1)`. */
function familyOf(provider: string): string {
  return provider.split('.', 1)[0]!;
}

/** One for each list of the provider that has several, with the lists of all the others. */
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

/** The shipped book that has replaced a published list by this day; null while the list holds. */
export function successorOf({ end }: PriceBook, day: Day, { books }: Providers): PriceBook | null {
  if (!end || day <= end.lastDay) return null;
  return books.find(({ id }) => id === end.nextBookId)!;
}

/** As receipts name the list of a price: a shipped book has lists of several providers. */
export function listNameOf(book: { id: string; name: string }, kind: string, providers: Providers): string {
  const isShipped = providers.books.some(({ id }) => id === book.id);
  const lists = providers.ofKind(kind)?.priceLists ?? [];
  return isShipped && lists.length === 1 ? lists[0]!.name : book.name;
}
