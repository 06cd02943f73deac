import { titleOfShare } from '../../analysis/sharing.ts';
import { countOf, exactDollars, longDay, timeText } from '../../ui/figures.ts';
// oxlint-disable-next-line no-restricted-imports -- until the server says these words
import { formatTitles } from '../insight/exports/words.ts';
import { changesIn, type FieldChange, type Names } from './auditWords.ts';

type Details = Record<string, unknown>;
export type AuditedEntry = { actor: string; action: string; target: string; details: Details };

/** The part of an action before the dot, in words for the filter and for sentences. */
export const kinds: Record<string, { title: string; thing: string }> = {
  alert: { title: 'Alerts', thing: 'the alert' },
  annotation: { title: 'Notes', thing: 'the note' },
  backfill: { title: 'Backfills', thing: 'a backfill' },
  bill_report: { title: 'Bill reports', thing: 'the bill report' },
  billing_terms: { title: 'Billing terms', thing: 'the billing terms' },
  chat_webhook: { title: 'Chat webhook', thing: 'the chat webhook' },
  delivery: { title: 'Deliveries', thing: 'a delivery' },
  digest: { title: 'Digests', thing: 'a digest' },
  export: { title: 'Exports', thing: 'an export' },
  export_upload: { title: 'Uploads', thing: 'an upload' },
  github_app: { title: 'GitHub Apps', thing: 'a GitHub App' },
  identity_provider: { title: 'Identity providers', thing: 'the identity provider' },
  invitation: { title: 'Invitations', thing: 'an invitation' },
  member: { title: 'Members', thing: 'the member' },
  organization: { title: 'Organization', thing: 'the organization' },
  ownership: { title: 'Imported ownership rules', thing: 'ownership rules' },
  ownership_import: { title: 'Imports of owners', thing: 'an import of owners' },
  ownership_rule: { title: 'Ownership rules', thing: 'an ownership rule' },
  price_book: { title: 'Price lists', thing: 'the price list' },
  price_rule: { title: 'Price rules', thing: 'the price rule' },
  pricing: { title: 'Pricing settings', thing: 'the pricing settings' },
  pull_requests: { title: 'Pull requests', thing: 'the comments on pull requests' },
  reprice: { title: 'Reprices', thing: 'a reprice' },
  resend: { title: 'Resends', thing: 'a resend of deliveries' },
  run: { title: 'Runs', thing: 'a run' },
  scheduled_export: { title: 'Scheduled exports', thing: 'a scheduled export' },
  session: { title: 'Sessions', thing: 'a session' },
  shadow_rates: { title: 'Shadow rates', thing: 'the shadow rates' },
  share: { title: 'Share links', thing: 'a share link' },
  sign_in: { title: 'Refused sign-ins', thing: 'a sign-in' },
  sign_in_code: { title: 'Sign-in links', thing: 'a sign-in link' },
  sign_in_policy: { title: 'Required single sign-on', thing: 'how members sign in' },
  source: { title: 'Sources', thing: 'the source' },
  token: { title: 'Tokens', thing: 'the token' },
  view: { title: 'Saved views', thing: 'the view' },
  waste_fix: { title: 'Waste fixes', thing: 'a waste fix' },
  webhook: { title: 'Webhooks', thing: 'the webhook' },
};

const verbs: Record<string, string> = {
  add: 'added',
  cancel: 'canceled',
  create: 'created',
  delete: 'deleted',
  import: 'imported',
  remove: 'removed',
  revoke: 'revoked',
  start: 'started',
};

/** What someone did, without their name: `changed the role of ana@acme.com from member to admin`. */
export function sentenceOf({ action, target, details }: AuditedEntry, names: Names): string {
  const [kind = '', verb = ''] = action.split('.');
  const name = names.get(target) ?? null;
  const own = sentences[action]?.(details, name, names);
  if (own) return own;
  const subject = called(kinds[kind]?.thing ?? kind.replaceAll('_', ' '), name);
  if (verb === 'update') return changed(subject, changesIn(details, names));
  return `${verbs[verb] ?? verb.replaceAll('_', ' ')} ${subject}`;
}

/** The index of the target's name in a sentence, in quotes or else at the end; -1 if it is missing. */
export function placeOf(name: string, sentence: string): number {
  const inQuotes = sentence.indexOf(quoted(name));
  return inQuotes === -1 ? sentence.lastIndexOf(name) : inQuotes + 1;
}

function changed(subject: string, changes: readonly FieldChange[]): string {
  const inWords = ({ before, after }: FieldChange) =>
    before === null ? `to ${after}` : `from ${before} to ${after}`;
  const [first, ...more] = changes;
  if (first?.field === 'enabled' && more.length === 0)
    return `turned ${first.after === 'yes' ? 'on' : 'off'} ${subject}`;
  if (!first) return `changed ${subject}`;
  if (more.length === 0) return `changed the ${first.field} of ${subject} ${inWords(first)}`;
  return `changed ${subject}: ${changes.map((each) => `${each.field} ${inWords(each)}`).join(', ')}`;
}

type Sentence = (details: Details, name: string | null, names: Names) => string | null;

const quoted = (name: string): string => `“${name}”`;
const text = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
const number = (value: unknown): number => Number(value ?? 0);
const dollarsOf = (value: unknown): string => exactDollars(number(value));
const named = (id: unknown, names: Names): string => names.get(text(id)) ?? text(id);
function called(thing: string, name: string | null): string {
  return name === null ? thing : `${thing} ${quoted(name)}`;
}

const thing =
  (start: string): Sentence =>
  (_, name) =>
    called(start, name);

/** A deleted webhook is named by what is in the entry. */
const webhookOf = ({ webhook_id: id, name, host }: Details, names: Names): string =>
  called('the webhook', names.get(text(id)) ?? (text(name ?? host) || null));

const eventsIn = ({ events }: Details): string =>
  Array.isArray(events) && events.length > 0 ? ` for ${lists.format(events.map(text))}` : '';

function shownIn({ query }: Details): string {
  return titleOfShare(text(query));
}

function setPrice({
  pattern,
  runner_kind: kind,
  usd_per_minute: price,
  later_rates: later,
}: Details): string {
  if (price === undefined || price === null) return `mapped ${text(pattern)} to ${text(kind)}`;
  return `set the price of ${text(pattern)} to ${dollarsOf(price)} per minute${laterInWords(later)}`;
}

function laterInWords(later: unknown): string {
  const rates = (later ?? []) as { effective_from: string; usd_per_minute: number }[];
  return rates
    .map((rate) => `, ${dollarsOf(rate.usd_per_minute)} from ${longDay(rate.effective_from)}`)
    .join('');
}

function changedPrice(details: Details): string | null {
  const before = details['before'] as Details | undefined;
  const rate = before?.['usd_per_minute'];
  const later = details['later_rates'];
  if (later !== undefined && later !== null && rate === undefined) {
    const words = laterInWords(later).slice(2);
    return words === ''
      ? 'removed the later rates of a price rule'
      : `set later rates of a price rule: ${words}`;
  }
  if (rate === undefined || rate === null || details['usd_per_minute'] === null) return null;
  const pattern = text(details['pattern'] ?? before?.['pattern']);
  const of = pattern ? ` of ${pattern}` : '';
  return `changed the price${of} from ${dollarsOf(rate)} to ${dollarsOf(details['usd_per_minute'])}${laterInWords(later)}`;
}

type ListedPrice = { runnerKind: string; effectiveFrom: string; nanosPerMinute: string };

function changedPrices(details: Details, name: string | null): string | null {
  const after = details['prices'] as ListedPrice[] | undefined;
  const before = (details['before'] as { prices?: ListedPrice[] } | undefined)?.prices;
  if (!after || !before || 'name' in details) return null;
  const keyOf = ({ runnerKind, effectiveFrom }: ListedPrice) => `${runnerKind} ${effectiveFrom}`;
  const usd = ({ nanosPerMinute }: ListedPrice) => exactDollars(Number(nanosPerMinute) / 1e9);
  const known = new Map(before.map((price) => [keyOf(price), price]));
  const kept = new Set(after.map(keyOf));
  const parts = [
    ...after.flatMap((price) => {
      const old = known.get(keyOf(price));
      if (!old) return [`${price.runnerKind} to ${usd(price)}`];
      return old.nanosPerMinute === price.nanosPerMinute
        ? []
        : [`${price.runnerKind} from ${usd(old)} to ${usd(price)}`];
    }),
    ...before.filter((price) => !kept.has(keyOf(price))).map(({ runnerKind }) => `${runnerKind} to no price`),
  ];
  const shown = parts.length > 3 ? countOf(parts.length, 'runner') : parts.join(', ');
  return `changed the price of ${shown}${name === null ? '' : ` in ${name}`}`;
}

function deletedRuns({ runs, jobs, cost }: Details): string {
  return `deleted ${countOf(number(runs), 'run')} (${countOf(number(jobs), 'job')}, ${dollarsOf(cost)})`;
}

/** For example `the weekly digest of the costs of Platform for cfo@acme.com and the chat`. */
function digestIn({ frequency, team, recipients, chat }: Details): string {
  if (frequency === undefined) return 'a digest';
  const people = Array.isArray(recipients) ? recipients.map(text).filter(Boolean) : [];
  const receivers = [...people, ...(chat === true ? ['the chat'] : [])];
  const of = team ? `the costs of ${text(team)}` : 'all costs';
  return `the ${text(frequency)} digest of ${of}${receivers.length > 0 ? ` for ${lists.format(receivers)}` : ''}`;
}

const lists = new Intl.ListFormat('en-US', { type: 'conjunction' });

const endedOf: Record<string, string> = {
  everybody: 'of everybody',
  links: 'of sign-in links',
  member: 'of a member',
  token: 'of a token',
};

const sentences: Record<string, Sentence> = {
  'alert.acknowledge': thing('acknowledged the alert'),
  'alert.check': thing('checked the alert'),
  'alert.create': ({ alert_type: type }, name) =>
    `created the ${text(type)} alert ${name ? quoted(name) : ''}`.trim(),
  'annotation.create': ({ text: note }) => `added the note “${text(note)}”`,
  'annotation.delete': ({ text: note }) => `deleted the note “${text(note)}”`,
  'annotation.update': ({ text: note }) => (note === undefined ? null : `changed a note to “${text(note)}”`),
  'backfill.start': ({ repositories }) => {
    const count = Array.isArray(repositories) ? repositories.length : number(repositories);
    return `started a backfill of ${countOf(count, 'repository', 'repositories')}`;
  },
  'bill_report.import': ({ file_name: file }) => `imported the bill report ${text(file)}`,
  'billing_terms.update': () => 'changed the billing terms',
  'chat_webhook.test': () => 'sent a test message to the chat',
  'delivery.resend': (details, _, names) => `resent a delivery of ${webhookOf(details, names)}`,
  'export.create': ({ dataset, format }) =>
    `created an export of ${datasets[text(dataset)] ?? text(dataset).replaceAll('_', ' ')} as ${formats[text(format)] ?? text(format)}`,
  'github_app.start': ({ organization }) =>
    `began to create a GitHub App${organization ? ` for ${text(organization)}` : ''}`,
  'invitation.accept': ({ email }) => `accepted the invitation as ${text(email)}`,
  'invitation.create': ({ email, role }) => `invited ${text(email) || 'somebody by a link'} as ${text(role)}`,
  'invitation.resend': ({ email }) => `made a new invitation link${email ? ` for ${text(email)}` : ''}`,
  'invitation.revoke': ({ email, why }) =>
    why === 'address_proven'
      ? `ended another invitation of ${text(email)}`
      : `revoked the invitation${email ? ` of ${text(email)}` : ''}`,
  'member.add': ({ email, role }) => `added ${text(email)} as ${text(role)}`,
  'member.remove': ({ email }) => `removed ${text(email)}`,
  'member.test_email': (_, name) => `sent a test email to ${name ?? 'a member'}`,
  'member.update': (details, name, names) => changed(name ?? 'a member', changesIn(details, names)),
  'organization.create': ({ name }) => `created the organization ${quoted(text(name))}`,
  'organization.update': (details, _, names) => changed('the organization', changesIn(details, names)),
  'ownership.import': ({ source, rules, added, removed }) =>
    source === undefined
      ? `imported a file of ownership rules: ${number(added)} added, ${number(removed)} removed`
      : `imported ${countOf(number(rules), 'ownership rule')} from ${text(source).replaceAll('_', ' ')}`,
  'ownership_import.start': ({ from }) =>
    `started an import of owners from ${text(from).replaceAll('_', ' ')}`,
  'ownership_rule.create': ({ owner, repository, workflow, label }) =>
    `gave ${[repository, workflow, label].filter(Boolean).map(text).join(', ')} to ${text(owner)}`,
  'ownership_rule.delete': ({ owner, repository, workflow, label }) =>
    `took ${[repository, workflow, label].filter(Boolean).map(text).join(', ')} from ${text(owner)}`,
  'price_book.update': changedPrices,
  'price_rule.create': setPrice,
  'price_rule.delete': ({ pattern }) => `deleted the price rule for ${text(pattern)}`,
  'price_rule.update': changedPrice,
  'pricing.update': (details, _, names) => {
    const changes = Object.keys(details).filter((field) => field !== 'before');
    const parts = changes.map((field) => pricingChange(field, details[field], names));
    const last = parts.pop();
    return last === undefined ? null : [parts.join(', '), last].filter(Boolean).join(' and ');
  },
  'reprice.create': ({ from, to }) => `started a reprice of ${daysInWords(from, to)}`,
  'reprice.revert': () => 'undid a reprice',
  'resend.cancel': (details, _, names) => `canceled resending deliveries of ${webhookOf(details, names)}`,
  'resend.start': (details, _, names) => `started to resend deliveries of ${webhookOf(details, names)}`,
  'run.delete': ({ repository, jobs, cost }) =>
    `deleted a run of ${text(repository)} (${countOf(number(jobs), 'job')}, ${dollarsOf(cost)})`,
  'run.delete_many': deletedRuns,
  'run.remove_old': ({ before, runs }) =>
    before === undefined
      ? null
      : `started to remove ${countOf(number(runs), 'run')} from before ${longDay(text(before))}`,
  'session.create': ({ address, provider }) =>
    ['signed in', provider && `by ${text(provider)}`, address && `from ${text(address)}`]
      .filter(Boolean)
      .join(' '),
  'session.end_by_provider': ({ provider, why }) =>
    `ended a session of ${text(provider) || 'a removed provider'}: ${whyEnded[text(why)] ?? 'access ended there'}`,
  'sign_in.refuse': ({ provider, email, why }) =>
    `refused ${text(email) || 'a person'}, who came by ${text(provider)}: ${whyRefused[text(why)] ?? text(why)}`,
  'sign_in_policy.update': ({ single_sign_on_required: required }) =>
    required === true ? 'required single sign-on' : 'stopped requiring single sign-on',
  'identity_provider.create': ({ name }) => `added the identity provider ${text(name)}`,
  'identity_provider.delete': ({ name }) => `removed the identity provider ${text(name)}`,
  'session.fail': ({ with: kind, address }) =>
    `failed to sign in with this ${text(kind) === 'code' ? 'link' : 'token'} from ${text(address)}`,
  'session.end': () => 'signed out a browser',
  'session.end_all': ({ of, sessions }) =>
    `signed out ${countOf(number(sessions), 'browser')} ${endedOf[text(of)] ?? ''}`.trim(),
  'shadow_rates.update': () => 'changed the shadow rates',
  'export_upload.repeat': ({ file_name: name }) => `started the upload of ${text(name)} again`,
  'scheduled_export.test': ({ location, error }) =>
    `tested a scheduled export by ${text(location)}: ${error === null ? 'it was written' : text(error)}`,
  'digest.create': (details) => `created ${digestIn(details)}`,
  'digest.delete': (details) => `deleted ${digestIn(details)}`,
  'digest.send': ({ email }) => `sent a digest to ${text(email)}`,
  'digest.unsubscribe': ({ email }) => `stopped a digest for ${text(email)}`,
  'share.create': ({ kind, ...details }, name) => {
    const { expires_at: at } = details;
    if (kind === 'badge') return called('created a badge', name);
    if (at === undefined) return null;
    const what = `created ${kind === 'embed' ? 'an embed' : 'a share link'}`;
    return `${called(what, name)} until ${timeText(new Date(text(at)))}: ${shownIn(details)}`;
  },
  'share.revoke': ({ kind, ...details }, name) =>
    kind === 'badge'
      ? called('revoked a badge', name)
      : `${called(kind === 'embed' ? 'revoked an embed' : 'revoked a share link', name)} of ${shownIn(details)}`,
  'source.connect': ({ path, webhooks }) =>
    `set ${countOf(number(webhooks), 'webhook')} at GitLab for ${text(path)}`,
  'source.create': ({ kind, name }) => `connected ${sourceOf(text(kind), text(name))}`,
  'source.delete': ({ kind }, name) =>
    kind === undefined || name === null ? null : `deleted ${sourceOf(text(kind), name)}`,
  'source.delete_credentials': thing('removed the credentials of the source'),
  'source.set_credentials': thing('set the credentials of the source'),
  'token.create': ({ name, role, member_id: id }, _, names) =>
    `created the token ${quoted(text(name))} with the role ${text(role)}${id ? ` for ${named(id, names)}` : ''}`,
  'token.revoke_all': ({ of, tokens }) =>
    of === 'member'
      ? `revoked ${countOf(number(tokens), 'personal token')} of a member, whose address was proven for the first time`
      : `revoked all ${countOf(number(tokens), 'token')}`,
  'waste_fix.decide': ({ status }) =>
    status === undefined ? 'changed the reason of a waste fix' : `marked a waste fix as ${text(status)}`,
  'waste_fix.reopen': () => 'reopened a waste fix',
  'token.fail': ({ address }) => `sent this token again and again from ${text(address)}, and was refused`,
  'webhook.create': (details, name) => `${called('created the webhook', name)}${eventsIn(details)}`,
  'webhook.delete': (details, name) => `${called('deleted the webhook', name)}${eventsIn(details)}`,
  'webhook.ping': thing('sent a test event to the webhook'),
  'webhook.rotate_secret': thing('rotated the secret of the webhook'),
};

const whyEnded: Record<string, string> = {
  access_ended: 'the account lost its access there',
  no_group: 'the person has no group with a role any more',
  groups_unknown: 'the provider named no groups',
  provider_removed: 'the provider was removed',
};

const whyRefused: Record<string, string> = {
  email_missing: 'it shared no email address',
  email_unverified: 'the email address is not verified',
  domain_not_allowed: 'neither a member nor of an allowed domain',
  not_a_member: 'not a member',
  no_group: 'no group with a role',
  groups_unknown: 'the provider left out the groups, because there are too many',
  other_invitation: 'the invitation is for another address',
  other_identity: 'the member signs in with another account there',
};

const providers: Record<string, string> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  circleci: 'CircleCI',
  buildkite: 'Buildkite',
  otlp: 'OpenTelemetry',
};

function sourceOf(kind: string, name: string): string {
  const of = name.toLowerCase() === kind ? '' : ` (${providers[kind] ?? kind})`;
  return `the source ${quoted(name)}${of}`;
}

const datasets: Record<string, string> = {
  focus: 'FOCUS costs',
  daily: 'daily costs',
};

const listNames: Record<string, string> = { github_by_date: 'GitHub, by the date of each job' };

const formats: Record<string, string> = formatTitles;

function pricingChange(field: string, value: unknown, names: Names): string {
  if (field === 'book_id')
    return `chose the price list ${quoted(listNames[text(value)] ?? named(value, names))}`;
  if (field !== 'included_minutes') return `changed the ${field.replaceAll('_', ' ')}`;
  const { minutes, github_plan: plan } = (value ?? {}) as Details;
  if (typeof minutes !== 'number') return 'removed the included minutes';
  const of = plan ? ` (GitHub ${text(plan)})` : '';
  return `set the included minutes to ${minutes.toLocaleString('en-US')}${of}`;
}

function daysInWords(from: unknown, to: unknown): string {
  if (!from || !to) return 'past jobs';
  return from === to ? longDay(text(from)) : `${longDay(text(from))} to ${longDay(text(to))}`;
}
