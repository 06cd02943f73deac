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

export type Area = {
  href: string;
  label: string;
  icon: Icon;
  /** Synonyms for the search. */
  words: string;
  /** Other path prefixes that belong to this area. */
  also?: string[];
};

export const areaGroups: { title: string; areas: Area[] }[] = [
  {
    title: 'Analyze',
    areas: [
      { href: '/', label: 'Overview', icon: IconLayoutDashboard, words: 'dashboard home forecast' },
      { href: '/explore', label: 'Explore', icon: IconChartBar, words: 'costs query chart filter group' },
      {
        href: '/workflows',
        label: 'Workflows',
        icon: IconGitFork,
        words: 'repositories costs',
        also: ['/runs', '/repositories', '/pull-requests'],
      },
      {
        href: '/showback',
        label: 'Showback',
        icon: IconUsersGroup,
        words: 'teams cost centers chargeback',
        also: ['/teams'],
      },
      { href: '/waste', label: 'Waste', icon: IconRecycle, words: 'savings failed rounding' },
    ],
  },
  {
    title: 'Control',
    areas: [
      { href: '/alerts', label: 'Budgets and alerts', icon: IconBell, words: 'anomaly notify limit spike' },
      {
        href: '/bill',
        label: 'Bill',
        icon: IconReceiptDollar,
        words: 'invoice import upload usage report csv reconcile',
      },
    ],
  },
  {
    title: 'Connect',
    areas: [
      {
        href: '/sources',
        label: 'Sources',
        icon: IconPlugConnected,
        words: 'github gitlab buildkite opentelemetry connect',
      },
      { href: '/backfills', label: 'Backfills', icon: IconHistory, words: 'import past runs history' },
      { href: '/webhooks', label: 'Webhooks', icon: IconWebhook, words: 'events deliveries' },
      { href: '/exports', label: 'Exports', icon: IconFileDownload, words: 'download csv parquet' },
    ],
  },
  {
    title: 'Organization',
    areas: [{ href: '/settings', label: 'Settings', icon: IconSettings, words: 'configuration preferences' }],
  },
];

export function isIn({ href, also = [] }: Area, path: string): boolean {
  if (href === '/') return path === '/';
  return [href, ...also].some((each) => path === each || path.startsWith(`${each}/`));
}

export function areaAt(path: string): Area | undefined {
  return areaGroups.flatMap(({ areas }) => areas).find((area) => isIn(area, path));
}
