import {
  called,
  changedIn,
  dayIn,
  dollarsIn,
  quoted,
  recordIn,
  say,
  type AuditedKind,
  type Details,
} from '../../tenancy/audit/words.ts';

export const billingTerms = {
  title: 'Billing terms',
  words: { update: 'changed the billing terms' },
} satisfies AuditedKind;

type ListedPrice = { runnerKind: string; effectiveFrom: string; nanosPerMinute: string };

/** Null if more than the prices of the list changed. */
function changedPrices(details: Details): string | null {
  const after = details['prices'] as ListedPrice[] | undefined;
  const before = recordIn(details['before'])['prices'] as ListedPrice[] | undefined;
  if (!after || !before || 'name' in details) return null;
  const keyOf = ({ runnerKind, effectiveFrom }: ListedPrice) => `${runnerKind} ${effectiveFrom}`;
  const usd = ({ nanosPerMinute }: ListedPrice) => dollarsIn(Number(nanosPerMinute) / 1e9);
  const known = new Map(before.map((price) => [keyOf(price), price]));
  const kept = new Set(after.map(keyOf));
  const parts = [
    ...after.flatMap((price) => {
      const old = known.get(keyOf(price));
      if (!old) return [`${price.runnerKind} to ${usd(price)}`];
      return usd(old) === usd(price) ? [] : [`${price.runnerKind} from ${usd(old)} to ${usd(price)}`];
    }),
    ...before.filter((price) => !kept.has(keyOf(price))).map(({ runnerKind }) => `${runnerKind} to no price`),
  ];
  return `changed the price of ${parts.length > 3 ? `${parts.length} runners` : parts.join(', ')}`;
}

export const priceBook = {
  title: 'Price lists',
  words: {
    create: 'created the price list',
    delete: 'deleted the price list',
    update: (details, target) => {
      const prices = changedPrices(details);
      if (prices !== null) return say`${prices} ${target.name && `in ${target.name}`}`;
      return changedIn(called('the price list', target.name), details, target);
    },
  },
} satisfies AuditedKind;

function laterRates(rates: unknown): string {
  const listed = (rates ?? []) as { effective_from: string; usd_per_minute: number }[];
  return listed
    .map((rate) => `, ${dollarsIn(rate.usd_per_minute)} from ${dayIn(rate.effective_from)}`)
    .join('');
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

export const priceRule = {
  title: 'Price rules',
  words: {
    create: ({ pattern, runner_kind: kind, usd_per_minute: rate, later_rates: later }) =>
      isSet(rate)
        ? say`set the price of ${pattern} to ${dollarsIn(rate)} per minute${laterRates(later)}`
        : say`mapped ${pattern} to ${kind}`,
    delete: ({ pattern }) => say`deleted the price rule for ${pattern}`,
    update: (details, target) => {
      const { usd_per_minute: rate, later_rates: later } = details;
      const before = recordIn(details['before']);
      const rateBefore = before['usd_per_minute'];
      if (isSet(rateBefore) && rate !== null) {
        const pattern = details['pattern'] ?? before['pattern'];
        return say`changed the price ${pattern && say`of ${pattern}`} from ${dollarsIn(rateBefore)} to ${dollarsIn(rate)}${laterRates(later)}`;
      }
      if (!isSet(later) || rateBefore !== undefined) return changedIn('the price rule', details, target);
      const words = laterRates(later).slice(2);
      return words ? `set later rates of a price rule: ${words}` : 'removed the later rates of a price rule';
    },
  },
} satisfies AuditedKind;

function settingChange(field: string, value: unknown, nameOf: (id: unknown) => string): string {
  if (field === 'book_id') return `chose the price list ${quoted(nameOf(value))}`;
  if (field !== 'included_minutes') return `changed the ${field.replaceAll('_', ' ')}`;
  const { minutes, usd, github_plan: plan } = recordIn(value);
  if (typeof minutes !== 'number') return 'removed the included minutes';
  const of = plan && say`(GitHub ${plan})`;
  if (isSet(usd)) return say`set the included dollars to ${dollarsIn(usd)} ${of}`;
  return say`set the included minutes to ${minutes} ${of}`;
}

export const pricing = {
  title: 'Pricing settings',
  words: {
    update: (details, { nameOf }) => {
      const fields = Object.keys(details).filter((field) => field !== 'before');
      const changes = fields.map((field) => settingChange(field, details[field], nameOf));
      return changes.length === 0 ? 'changed the pricing settings' : say`${changes}`;
    },
  },
} satisfies AuditedKind;

export const shadowRates = {
  title: 'Shadow rates',
  words: { update: 'changed the shadow rates' },
} satisfies AuditedKind;
