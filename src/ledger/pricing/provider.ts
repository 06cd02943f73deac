import { addDays, type Day } from '../../platform/lib/days.ts';
import { compare } from '../../platform/lib/lists.ts';
import { parseUsd } from '../../platform/lib/money.ts';
import type { WorkflowFiles } from './plan.ts';
import { always, beginning, priceAt, type DatedPrice, type PriceBook } from './priceBook.ts';
import type { PublishedTerms } from './publishedTerms.ts';

export type Rounding = 'minute' | 'second';

/** What a provider reports of a job's runner. Group and name are null until a runner takes the job. */
export type ReportedRunner = {
  labels: readonly string[];
  runnerGroup: string | null;
  runnerName: string | null;
};

/** What a provider's list says about a hosted runner that the organization named itself. */
export type ListedRunner = {
  /** In lower case. */
  name: string;
  platform: string;
  size: string;
  cores: number;
};

/** As the provider listed it from this day. */
export type Listing = ListedRunner & { firstDay: Day };

export type RunnerClassification = {
  kind: string;
  rule: string;
  confidence: 'certain' | 'guessed';
};

/** A kind of runner with known prices. Its id is stored, shown and accepted as a label, so never rename one. */
export type RunnerKind = {
  id: string;
  title: string;
  system: 'linux' | 'windows' | 'macos' | null;
  cores: number | null;
  /** Left out if the label decides, or we do not know. */
  architecture?: 'x64' | 'arm64';
  hasGpu?: true;
  /** Its jobs run in a container without the right to start others. */
  lacksDocker?: true;
  /** Whole credits, if the provider bills each job in credits: its seconds rounded up, then its credits. */
  creditsPerMinute?: number;
};

type Allowance = PublishedTerms & {
  /** Standard runners: free in free runs, and covered by included minutes in other runs. */
  runnerKinds: readonly string[];
  /** The runner kind that uses one included minute per minute. */
  unitKind: string;
};

/** What a company's runners cost, from a text that we read. A price only once somebody makes a rule of it. */
export type RateHint = {
  id: string;
  company: string;
  /** Of the rule. */
  name: string;
  /** A regular expression for labels. */
  pattern: string;
  /** The provider's runner kind of the same system, architecture and cores. Null if we know no size. */
  sizeOf: string | null;
  /** Oldest first. Empty if we know none. */
  rates: readonly DatedPrice[];
  rounding: Rounding;
  source: string;
  checkedOn: Day;
  confidence: 'published' | 'hint';
  note: string;
};

/** How long a job may take on the provider's own runners before the provider stops it. */
type TimeLimit = {
  minutes: number;
  /** Of runner kinds with another limit. */
  minutesOf?: Readonly<Record<string, number>>;
  source: string;
  checkedOn: Day;
};

export type PublishedList = PriceBook & { source: string; checkedOn: Day };

/** A list as its provider publishes it: the day from which it counts, and US dollars per minute by runner kind. */
export type DatedList = Pick<PublishedList, 'source' | 'checkedOn'> & {
  from: Day;
  usdPerMinute: Readonly<Record<string, string>>;
};

/** A provider: everything that differs between providers, except how we read its events. */
export type Provider = {
  /** The provider stored with its runs. A self-hosted server adds a dot and its host. Never rename one. */
  id: string;
  title: string;
  /** The service's name on invoices. Null if the provider sends no invoices. */
  service: string | null;
  kinds: readonly RunnerKind[];
  /** Either one list, which is part of every shipped one, or several to choose from. */
  priceLists: readonly PublishedList[];
  /** Null if no own rule matches. Of a name it may use only whether it is a `hostedName`. */
  classifyRunner: (job: ReportedRunner & { provider: string }) => RunnerClassification | null;
  explainRule: (runner: ReportedRunner & RunnerClassification, title: string) => string | null;
  /** How many equal runners a job had at once, each of which is billed. Without it, one. */
  parallelismOf?: (job: ReportedRunner) => number;
  /** Null if the provider has no list of hosted runners with names of the organization. */
  listedRunners: {
    /** Under which name the list may have the job's runner. Null if it can have none. */
    nameOf: (job: ReportedRunner) => string | null;
    /** Null if no price list has its size. */
    kindOf: (runner: ListedRunner) => string | null;
    /** Such as `16-core Linux x64 larger runner`. */
    titleOf: (runner: Pick<ListedRunner, 'platform' | 'size'>) => string;
  } | null;
  /** Of companies that rent out runners for this provider. */
  rateHints: readonly RateHint[];
  hostedName: HostedName | null;
  /** The runner group of its hosted runners alone. Null if it has no such group. */
  hostedGroup: string | null;
  /** Null if only a discount can apply. */
  allowance: Allowance | null;
  rounding: Rounding;
  /** Null if the provider has no limit, or publishes none. */
  timeLimit: TimeLimit | null;
  /** False if a repeated job becomes another job of the same run. Then names are otherwise unique in a run. */
  hasAttempts: boolean;
  /** Whether it creates jobs before they can start, so that their age is not queue time. */
  createsJobsEarly: boolean;
  /** Changes to a workflow file that reduce waste. Null if the file cannot express the change. */
  yaml: {
    cancelSuperseded: string | null;
    limitTime: ((minutes: bigint) => string) | null;
    runEvery: ((unit: 'day' | 'week') => string) | null;
    /** The events that start the workflow, and those that no longer do. */
    startOn: ((events: readonly string[], without: readonly string[]) => string) | null;
    /** Starts no runs on these events if only such files change. */
    ignorePaths: ((events: readonly string[], paths: readonly string[]) => string) | null;
  };
  /** Null if we cannot read the provider's workflow files. */
  workflowFiles: WorkflowFiles | null;
  pagesOf: (run: PlacedRun) => Partial<RunPages>;
  /** The announced fee for self-hosted runners in nano-dollars per minute, for what-if questions. */
  announcedSelfHostedFee: bigint | null;
};

/** `host` is the host of a self-hosted server. */
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

/** Prefixes of the names of hosted runners, in lower case, and an example. */
type HostedName = { prefixes: readonly string[]; example: string };

export type Providers = {
  list: readonly Provider[];
  of: (provider: string) => Provider | null;
  ofKind: (kind: string) => Provider | null;
  kind: (id: string) => RunnerKind | null;
  kindIds: readonly string[];
  hostedNames: readonly HostedName[];
  /** Whether a provider's own runner took the job, but its rules do not know the label: it is newer than them. */
  isNewLabel: (job: Pick<ReportedRunner, 'labels' | 'runnerGroup'>) => boolean;
  /** The shipped price lists. The first one is the default. */
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
    isNewLabel: (job) => job.labels.length > 0 && list.some((provider) => ranUnknown(provider, job)),
    books: shippedBooks(list),
  };
}

function ranUnknown(provider: Provider, job: Pick<ReportedRunner, 'labels' | 'runnerGroup'>): boolean {
  const runner = { ...job, runnerName: null, provider: provider.id };
  return isHostedBy(provider, runner) && provider.classifyRunner(runner) === null;
}

/** Whether group or name belong to the provider's own runners alone. */
export function isHostedBy(
  { hostedGroup, hostedName }: Provider,
  { runnerGroup, runnerName }: Pick<ReportedRunner, 'runnerGroup' | 'runnerName'>,
): boolean {
  const name = runnerName?.toLowerCase() ?? '';
  if (hostedName?.prefixes.some((prefix) => name.startsWith(prefix))) return true;
  return hostedGroup !== null && hostedGroup.toLowerCase() === runnerGroup?.toLowerCase();
}

/** The id without the host of a self-hosted server. In SQL: `split_part(provider, '.', 1)`. */
function familyOf(provider: string): string {
  return provider.split('.', 1)[0]!;
}

/** One for each list of the provider that has several, completed with the lists of all others. */
function shippedBooks(list: readonly Provider[]): PriceBook[] {
  const chosenFrom = list.find(({ priceLists }) => priceLists.length > 1)?.priceLists ?? [];
  const inEach = list.filter(({ priceLists }) => priceLists.length === 1);
  const others = Object.assign({}, ...inEach.map(({ priceLists }) => priceLists[0]!.prices));
  const unlisted = Object.fromEntries(unlistedKinds.map(({ id }) => [id, always('0')]));
  return chosenFrom.map(({ id, name, end, isByDate, prices }) => ({
    id,
    name,
    prices: {
      ...prices,
      ...others,
      ...unlisted,
    },
    ...(end && { end }),
    ...(isByDate && { isByDate }),
  }));
}

/** Each list, and one that has each price from its day. A later list changes no id of the earlier ones. */
export function publishedLists(
  { id, title }: Pick<Provider, 'id' | 'title'>,
  dated: readonly DatedList[],
): PublishedList[] {
  const lists = dated.toSorted((a, b) => compare(a.from, b.from));
  const byDate = `${id}_by_date`;
  const single = lists.map(({ from, usdPerMinute, source, checkedOn }, index): PublishedList => {
    const [next, year] = [lists[index + 1], from.slice(0, 4)];
    const isYearTaken = lists.slice(0, index).some((earlier) => earlier.from.startsWith(year));
    const lastDay = next && addDays(next.from, -1);
    const span = [index > 0 && `from ${from}`, lastDay && `until ${lastDay}`].filter(Boolean);
    return {
      id: `${id}_${isYearTaken ? from.replaceAll('-', '_') : year}`,
      name: [`${title}'s price list`, ...span].join(' '),
      prices: Object.fromEntries(Object.entries(usdPerMinute).map(([kind, usd]) => [kind, always(usd)])),
      ...(lastDay && { end: { lastDay, nextBookId: byDate } }),
      source,
      checkedOn,
    };
  });
  const { source, checkedOn } = lists.at(-1)!;
  const name = `${title}, by the date of each job`;
  return [...single, { id: byDate, name, isByDate: true, prices: followedPrices(lists), source, checkedOn }];
}

function followedPrices(lists: readonly DatedList[]): PriceBook['prices'] {
  const prices: Record<string, DatedPrice[]> = {};
  for (const [index, { from, usdPerMinute }] of lists.entries()) {
    for (const [kind, usd] of Object.entries(usdPerMinute)) {
      const earlier = (prices[kind] ??= []);
      const price = { effectiveFrom: index === 0 ? beginning : from, nanosPerMinute: parseUsd(usd) };
      if (earlier.at(-1)?.nanosPerMinute !== price.nanosPerMinute) earlier.push(price);
    }
  }
  return prices;
}

/** The published list that has each of the provider's prices from the day it took effect. */
export function listByDate({ of, books }: Providers, provider: string): PriceBook {
  const { priceLists } = of(provider)!;
  if (priceLists.length === 1) return priceLists[0]!;
  const own = new Set(priceLists.map(({ id }) => id));
  return books.find(({ id, isByDate }) => isByDate && own.has(id))!;
}

export function listedNanosOn(providers: Providers, provider: string, kind: string, day: Day): bigint {
  return priceAt(listByDate(providers, provider), kind, day)!.nanosPerMinute;
}

/** The price of a minute on the runner kind that uses one included minute per minute. */
export function unitNanosOn(providers: Providers, provider: string, day: Day): bigint {
  return listedNanosOn(providers, provider, providers.of(provider)!.allowance!.unitKind, day);
}

export function successorOf({ end }: PriceBook, day: Day, { books }: Providers): PriceBook | null {
  if (!end || day <= end.lastDay) return null;
  return books.find(({ id }) => id === end.nextBookId)!;
}

/** The list to name on a receipt. A shipped list combines lists of several providers. */
export function listNameOf(book: { id: string; name: string }, kind: string, providers: Providers): string {
  const isShipped = providers.books.some(({ id }) => id === book.id);
  const lists = providers.ofKind(kind)?.priceLists ?? [];
  return isShipped && lists.length === 1 ? lists[0]!.name : book.name;
}
