import {
  IconBell,
  IconChartBar,
  IconFileDownload,
  IconGitFork,
  IconHistory,
  IconLayoutDashboard,
  IconPlugConnected,
  IconReceiptDollar,
  IconRecycle,
  IconSettings,
  IconUsersGroup,
  IconWebhook,
  type Icon,
} from '@tabler/icons-react';

type Place = {
  href: string;
  label: string;
  icon: Icon;
  /** Synonyms for the search. */
  words: string;
};

export type Area = Place & {
  /** Other path prefixes that belong to this area. */
  also?: string[];
  /** Its pages, if it has several of the same rank. The first is the area's own. */
  tabs?: Place[];
};

const connections: Place[] = [
  {
    href: '/sources',
    label: 'Sources',
    icon: IconPlugConnected,
    words: 'github gitlab buildkite opentelemetry connect',
  },
  { href: '/history', label: 'History', icon: IconHistory, words: 'backfills import past runs' },
  { href: '/webhooks', label: 'Webhooks', icon: IconWebhook, words: 'events deliveries' },
  { href: '/exports', label: 'Exports', icon: IconFileDownload, words: 'download csv parquet' },
];

export const areaGroups: { title: string; areas: Area[] }[] = [
  {
    title: 'Analyze',
    areas: [
      { href: '/', label: 'Overview', icon: IconLayoutDashboard, words: 'dashboard home forecast' },
      {
        href: '/explore',
        label: 'Explore',
        icon: IconChartBar,
        words: 'costs query chart filter group',
        also: ['/share-links'],
      },
      {
        href: '/workflows',
        label: 'Workflows',
        icon: IconGitFork,
        words: 'repositories costs',
        also: ['/runs', '/repositories', '/pull-requests'],
      },
      {
        href: '/teams',
        label: 'Teams',
        icon: IconUsersGroup,
        words: 'showback cost centers chargeback',
      },
      { href: '/waste', label: 'Waste', icon: IconRecycle, words: 'savings failed rounding' },
    ],
  },
  {
    title: 'Control',
    areas: [
      { href: '/alerts', label: 'Budgets', icon: IconBell, words: 'alerts anomaly notify limit spike' },
      {
        href: '/bill',
        label: 'Bill',
        icon: IconReceiptDollar,
        words: 'invoice import upload usage report csv reconcile',
      },
    ],
  },
  {
    title: 'Organization',
    areas: [
      { ...connections[0]!, label: 'Connections', tabs: connections },
      { href: '/settings', label: 'Settings', icon: IconSettings, words: 'configuration preferences' },
    ],
  },
];

/** What the navigation leads to, with each tab in place of its area. */
export const places = areaGroups
  .flatMap(({ areas }) => areas)
  .flatMap(
    (area): (Area & { detail?: string })[] =>
      area.tabs?.map((tab) => ({ ...tab, detail: area.label })) ?? [area],
  );

export function isIn({ href, also = [], tabs = [] }: Area, path: string): boolean {
  if (href === '/') return path === '/';
  const hrefs = [href, ...also, ...tabs.map((tab) => tab.href)];
  return hrefs.some((each) => path === each || path.startsWith(`${each}/`));
}

export function areaAt(path: string): Area | undefined {
  return areaGroups.flatMap(({ areas }) => areas).find((area) => isIn(area, path));
}
