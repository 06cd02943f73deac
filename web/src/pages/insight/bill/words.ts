import type { Cause, Report, Sums } from './queries.ts';

export const causeWords: Record<Cause, { label: string; about: string }> = {
  public_repository: {
    label: 'Public repository',
    about: 'GitHub does not charge for standard runners in public repositories.',
  },
  free_use: {
    label: 'Free use',
    about: 'Workflows of GitHub that it does not charge for, such as Dependabot and Pages.',
  },
  included_minutes: {
    label: 'Included minutes',
    about: 'Minutes or dollars that your GitHub plan includes.',
  },
  other_discount: {
    label: 'Other discount',
    about:
      'The discount of your billing terms, and others on larger runners and in repositories of unknown visibility.',
  },
  price_list: {
    label: 'Price list',
    about:
      'The bill uses a different rate per minute than your price list. If your price list is wrong, choose the right one and reprice past jobs in Settings, Prices.',
  },
  unpriced_label: {
    label: 'Unpriced',
    about:
      'GitHub bills these minutes, but their runners have no price here. Map their labels in Settings, Prices.',
  },
  other_runner: {
    label: 'Different runner',
    about: 'Runcost counted these minutes on a different runner than the bill.',
  },
  own_rate: {
    label: 'Your own rate',
    about: 'Runners that GitHub does not bill, at your own rates.',
  },
  day_shift: {
    label: 'Next day',
    about:
      'Jobs that ran past midnight UTC. The bill counts them on the day they started, Runcost on the day they completed.',
  },
  renamed_repository: {
    label: 'Renamed repository',
    about: 'The bill has these minutes under another name of the repository.',
  },
  missing_deliveries: {
    label: 'Not delivered',
    about: 'GitHub bills minutes on a runner for which we received no job that day.',
  },
  unnamed_repository: {
    label: 'No repository',
    about:
      'The bill names no repository for these minutes. Runcost counted them in one of the owner’s repositories.',
  },
  before_connected: {
    label: 'Before Runcost',
    about: 'Minutes from before your first recorded day.',
  },
  rounding: { label: 'Rounding', about: "The report's amounts are rounded." },
};

export function causesOf({ net_explained: parts }: Pick<Sums, 'net_explained'>): [Cause, number][] {
  return (Object.entries(parts) as [Cause, number][])
    .filter(([, amount]) => amount !== 0)
    .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a));
}

export const formatWords: Record<Report['format'], string> = {
  summarised: 'Summarized',
  detailed: 'Detailed',
  legacy: 'Legacy',
  api: 'Fetched',
};
