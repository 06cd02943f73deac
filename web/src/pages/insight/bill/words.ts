import type { Cause, Sums } from './queries.ts';

/** What each cause is called, and what it says. */
export const causeWords: Record<Cause, { label: string; about: string }> = {
  public_repository: {
    label: 'Public repository',
    about: 'GitHub does not charge for standard runners in public repositories.',
  },
  included_minutes: {
    label: 'Included minutes',
    about: 'Discounts in private repositories: minutes that your GitHub plan includes.',
  },
  other_discount: {
    label: 'Other discount',
    about: 'Discounts on larger runners, and in repositories whose visibility no run has told.',
  },
  price_list: {
    label: 'Price list',
    about:
      'The bill has another price per minute than our jobs were recorded with. Where that is a matter of the price book, choose that of the bill and price these days anew, in Settings, Pricing.',
  },
  unpriced_label: {
    label: 'No price for the label',
    about: 'GitHub bills minutes that we have on runners without a price. Map their labels in the settings.',
  },
  other_runner: {
    label: 'Other runner',
    about: 'We have these minutes on another kind of runner than the bill.',
  },
  own_rate: {
    label: 'Your own rate',
    about: 'Runners that GitHub does not bill, at rates of your own.',
  },
  day_shift: {
    label: 'Next day',
    about: 'Jobs over midnight: the bill has them on the day they started, we on the day they completed.',
  },
  missing_deliveries: {
    label: 'Not delivered',
    about: 'GitHub bills minutes on a runner from which no job came that day.',
  },
  unnamed_repository: {
    label: 'No repository',
    about: 'The bill has these minutes without a repository; we have them in one of the owner’s.',
  },
  before_connected: {
    label: 'Before Runcost',
    about: 'Minutes of days before the first that Runcost has recorded.',
  },
  rounding: { label: 'Rounding', about: "The report's amounts are rounded." },
};

/** The causes that are not 0, the largest first. */
export function causesOf({ explained }: Pick<Sums, 'explained'>): [cause: Cause, amount: number][] {
  return (Object.entries(explained) as [Cause, number][])
    .filter(([, amount]) => amount !== 0)
    .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a));
}
