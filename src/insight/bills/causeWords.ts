import { discounts, type Cause } from './cells.ts';

type Words = { title: string; about: string };

export const causeWords: Record<Cause | 'unexplained', Words> = {
  public_repository: {
    title: 'Public repository',
    about: 'GitHub does not charge for standard runners in public repositories.',
  },
  free_use: {
    title: 'Free use',
    about: 'Workflows of GitHub that it does not charge for, such as Dependabot and Pages.',
  },
  included_minutes: {
    title: 'Included minutes',
    about: 'Minutes or dollars that your GitHub plan includes.',
  },
  other_discount: {
    title: 'Other discount',
    about:
      'The discount of your billing terms, and others on larger runners and in repositories of unknown visibility.',
  },
  price_list: {
    title: 'Price list',
    about:
      'The bill uses a different rate per minute than your price list. If your price list is wrong, choose the right one and reprice past jobs in Settings, Prices.',
  },
  unpriced_label: {
    title: 'Unpriced',
    about:
      'GitHub bills these minutes, but their runners have no price here. Map their labels in Settings, Prices.',
  },
  other_runner: {
    title: 'Different runner',
    about: 'Runcost counted these minutes on a different runner than the bill.',
  },
  own_rate: {
    title: 'Your own rate',
    about: 'Runners that GitHub does not bill, at your own rates.',
  },
  day_shift: {
    title: 'Next day',
    about:
      'Jobs that ran past midnight UTC. The bill counts them on the day they started, Runcost on the day they completed.',
  },
  renamed_repository: {
    title: 'Renamed repository',
    about: 'The bill has these minutes under another name of the repository.',
  },
  missing_deliveries: {
    title: 'Not delivered',
    about: 'GitHub bills minutes on a runner for which we received no job that day.',
  },
  unnamed_repository: {
    title: 'No repository',
    about:
      'The bill names no repository for these minutes. Runcost counted them in one of the owner’s repositories.',
  },
  before_connected: {
    title: 'Before Runcost',
    about: 'Minutes from before your first recorded day.',
  },
  rounding: { title: 'Rounding', about: "The report's amounts are rounded." },
  unexplained: { title: 'Unexplained', about: 'We could not explain this part.' },
};

/** Whether the provider agreed to deduct it. Other causes are errors on one side. */
export function isAgreed(cause: string): boolean {
  return (discounts as readonly string[]).includes(cause);
}

/** As the API says them, so that no page has words of its own. */
export const causesView = Object.entries(causeWords).map(([cause, words]) => ({
  cause,
  ...words,
  is_agreed: isAgreed(cause),
}));
