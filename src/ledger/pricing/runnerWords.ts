import type { Day } from '../../platform/lib/days.ts';
import type { PriceRule } from './priceList.ts';
import type { Listing, Providers, RunnerClassification, ReportedRunner } from './provider.ts';

export function runnerTitle(kind: string, providers: Providers): string {
  return customName(kind) ?? providers.kind(kind)?.title ?? kind;
}

type ClassifiedRunner = ReportedRunner & Omit<RunnerClassification, 'kind'> & { kind: string | null };

export function explainRunner({ kind, ...runner }: ClassifiedRunner, providers: Providers): string {
  const listing = listingOfName(runner.rule);
  if (listing) return explainListing(listing, kind, providers);
  if (kind === null) return `No rule matches a runner ${describe(runner)}, so it has no price.`;
  const title = runnerTitle(kind, providers);
  const organizationRule = ruleOfName(runner.rule);
  if (organizationRule) return explainRule(organizationRule, title);
  const label = runner.labels[0];
  if (runner.rule === 'runner_kind' && label !== undefined) {
    return `The label ${label} names the runner kind: ${title}.`;
  }
  for (const provider of providers.list) {
    const text = provider.explainRule({ ...runner, kind }, title);
    if (text !== null) return text;
  }
  return `The rule ${runner.rule} says it is ${title}.`;
}

function explainRule(rule: NamedRule, title: string): string {
  const matched = {
    label: `the label ${rule.pattern}`,
    regex: `labels that match ${rule.pattern}`,
    runner_group: `the runner group ${rule.pattern}`,
  }[rule.match];
  return `The organization's rule for ${matched} says it is ${title}${rule.since === null ? '' : `, at its rate from ${rule.since}`}.`;
}

function explainListing(listing: NamedListing, kind: string | null, { list }: Providers): string {
  const provider = list.find(({ listedRunners }) => listedRunners !== null)!;
  const price = kind === null ? ' No price list has this size, so it has no price.' : '';
  return `Runner ${listing.name} is a ${provider.listedRunners!.titleOf(listing)}, as ${provider.title} listed it on ${listing.firstDay}.${price}`;
}

function describe({ labels, runnerGroup }: ReportedRunner): string {
  const group = runnerGroup ? ` in the group ${runnerGroup}` : '';
  if (labels.length === 0) return `without labels${group}`;
  return `with the label${labels.length === 1 ? '' : 's'} ${labels.join(', ')}${group}`;
}

const customPrefix = 'custom:';

export function kindOfRule({ runnerKind, name }: PriceRule): string {
  return runnerKind ?? `${customPrefix}${name}`;
}

export function customName(kind: string): string | null {
  return kind.startsWith(customPrefix) ? kind.slice(customPrefix.length) : null;
}

/** `since` is the first day of a later rate. */
type NamedRule = Pick<PriceRule, 'match' | 'pattern'> & { since: Day | null };

/** Stored with a job, because receipts outlive rules: `label:big-box`, `label@2026-09-01:big-box`. */
export function nameOfRule(
  { match, pattern }: Pick<PriceRule, 'match' | 'pattern'>,
  since: Day | null,
): string {
  return `${match}${since === null ? '' : `@${since}`}:${pattern}`;
}

function ruleOfName(name: string): NamedRule | null {
  const [, match, since = null, pattern] =
    /^(label|regex|runner_group)(?:@(\d{4}-\d\d-\d\d))?:([^]*)$/.exec(name) ?? [];
  return match === undefined ? null : { match: match as PriceRule['match'], pattern: pattern!, since };
}

type NamedListing = Pick<Listing, 'name' | 'firstDay' | 'platform' | 'size'>;

/** Stored with a job, because receipts outlive lists: `listed@2026-11-29:linux-x64/16-core:acme-big`. */
export function nameOfListing({ name, firstDay, platform, size }: NamedListing): string {
  return `listed@${firstDay}:${platform}/${size}:${name}`;
}

export function listingOfName(rule: string): NamedListing | null {
  const [, firstDay, platform, size, name] =
    /^listed@(\d{4}-\d\d-\d\d):([^/:]*)\/([^:]*):([^]*)$/.exec(rule) ?? [];
  if (firstDay === undefined) return null;
  return { firstDay, platform: platform!, size: size!, name: name! };
}
