import type { Context } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { hasRole, type Actor } from '../../platform/lib/actor.ts';
import { invalid, notFound, PublicError } from '../../platform/lib/errors.ts';
import { newSecret, randomId } from '../../platform/lib/ids.ts';
import { isEmail } from '../../platform/lib/text.ts';
import { differences, recordAudit } from '../../tenancy/audit/audit.ts';
import { findMemberByEmail } from '../../tenancy/members/members.ts';
import { getOrganization, lockOrganization } from '../../tenancy/organizations/organizations.ts';
import { isTeamRemoved } from '../alerts/readScope.ts';
import {
  channelsFor,
  findDefault,
  isDefault,
  readChoice,
  takesDigests,
  type Channel,
} from '../channels/channels.ts';
import type { NotificationContext } from '../notifications/context.ts';
import { mailWarnings } from '../notifications/mailWarnings.ts';
import { requirePart } from './part.ts';
import {
  type DigestRow,
  digestRows,
  findRecipients,
  findRecipientsOf,
  insertRecipients,
  type Recipient,
  recipientRows,
  removeRecipients,
} from './queries.ts';
import type { DigestChanges, DigestInput } from './schema.ts';
import { calendarText, nextSlot, type Frequency } from './slots.ts';

export type Digest = DigestRow & { recipients: Recipient[] };

export type DigestContext = Context & Pick<NotificationContext, 'mailer' | 'channelKinds'>;

export async function listDigests({ db, actor }: Pick<Context, 'db' | 'actor'>): Promise<Digest[]> {
  const digests = (await digestRows.list(db, { orgId: actor.orgId }, 'createdAt', 'id')).filter((digest) =>
    manages(actor, digest),
  );
  const byDigest = Map.groupBy(await findRecipients(db, actor.orgId), ({ digestId }) => digestId);
  return digests.map((digest) => ({ ...digest, recipients: byDigest.get(digest.id) ?? [] }));
}

export async function getDigest({ db, actor }: Pick<Context, 'db' | 'actor'>, id: string): Promise<Digest> {
  const digest = await digestRows.find(db, { orgId: actor.orgId, id });
  if (!digest || !manages(actor, digest)) throw notFound('digest');
  return { ...digest, recipients: await findRecipientsOf(db, actor.orgId, id) };
}

const maxOwn = 20;
const maxShared = 100;

export async function createDigest(ctx: DigestContext, input: DigestInput): Promise<Digest> {
  const { db, actor, clock } = ctx;
  const {
    frequency,
    team = null,
    actor_kind: actorKind = null,
    recipients = [],
    chat = false,
    channel_ids = [],
    enabled = true,
  } = input;
  requireReading(actor);
  const memberId = readOwner(actor, input);
  await requirePart(db, actor.orgId, { team, actorKind });
  const addresses = readAddresses(recipients);
  if (memberId === null) requireReceiver(addresses, chat || channel_ids.length > 0);
  const now = clock.now();
  return db.transaction().execute(async (tx) => {
    await lockOrganization(tx, actor.orgId);
    const digest: DigestRow = {
      orgId: actor.orgId,
      id: randomId('dig'),
      frequency,
      team,
      actorKind,
      memberId,
      chat,
      channelIds: await readChoice({ ...ctx, db: tx }, channel_ids, { forDigest: true }),
      enabled,
      activeSince: now,
      sentUntil: null,
      createdAt: now,
      updatedAt: now,
      ...(await scheduled(tx, actor.orgId, frequency, now)),
    };
    await requireRoomFor(tx, digest);
    await digestRows.insert(tx, digest);
    await addRecipients(tx, digest, memberId === null ? addresses : [{ memberId }]);
    const created = await withRecipients(tx, digest);
    await recordAudit(tx, ctx, 'digest.create', digest.id, namedByTheApi(created));
    return created;
  });
}

/** Changes the given fields. With a new frequency, the first period sent is the next one. */
export async function updateDigest(ctx: DigestContext, id: string, changes: DigestChanges): Promise<Digest> {
  const { db, actor, clock } = ctx;
  requireReading(actor);
  const addresses = changes.recipients && readAddresses(changes.recipients);
  const now = clock.now();
  return db.transaction().execute(async (tx) => {
    const before = await digestToChange(tx, actor, id);
    if (before.memberId !== null) refuseReceivers(changes);
    const { team = before.team, actor_kind: actorKind = before.actorKind } = changes;
    if (changes.team !== undefined || changes.actor_kind !== undefined)
      await requirePart(tx, actor.orgId, { team, actorKind });
    const { frequency = before.frequency, chat = before.chat, enabled = before.enabled } = changes;
    const channelIds = changes.channel_ids
      ? await readChoice({ ...ctx, db: tx }, changes.channel_ids, { forDigest: true })
      : before.channelIds;
    if (before.memberId === null) {
      requireReceiver(addresses ?? before.recipients, chat || channelIds.length > 0);
    }
    const isRestarted = frequency !== before.frequency || (enabled && !before.enabled);
    const changed: DigestRow = {
      ...rowOf(before),
      frequency,
      chat,
      channelIds,
      enabled,
      team,
      actorKind,
      updatedAt: now,
      ...(isRestarted ? { activeSince: now, ...(await scheduled(tx, actor.orgId, frequency, now)) } : {}),
    };
    await digestRows.change(tx, before, changed);
    if (addresses) await changeRecipients(tx, before, addresses);
    if (before.memberId !== null && enabled) await subscribeAgain(tx, before);
    const after = await withRecipients(tx, changed);
    const details = differences(namedByTheApi(before), namedByTheApi(after));
    if (details) await recordAudit(tx, ctx, 'digest.update', id, details);
    return after;
  });
}

export async function deleteDigest(ctx: Context, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const digest = await digestToChange(tx, ctx.actor, id);
    await digestRows.remove(tx, digest);
    await recordAudit(tx, ctx, 'digest.delete', id, namedByTheApi(digest));
  });
}

const noRecipients = 'Nobody gets it: it has no recipients.';
const allUnsubscribed = 'Nobody gets it: all recipients have unsubscribed.';

/** Reasons why recipients may get nothing. */
export async function warningsOf(
  ctx: Pick<DigestContext, 'db' | 'mailer' | 'channelKinds'>,
  { orgId, team, memberId, chat, channelIds, recipients }: Digest,
): Promise<string[]> {
  const { db } = ctx;
  const channels = await findDigestChannels(ctx, { orgId, chat, channelIds });
  const isReceived =
    memberId !== null ||
    chat ||
    channelIds.length > 0 ||
    recipients.some(({ unsubscribedAt }) => unsubscribedAt === null);
  const isRemoved =
    team !== null && (await isTeamRemoved(db, { orgId, scope: { type: 'team', value: team } }));
  return [
    ...(isReceived ? [] : [recipients.length === 0 ? noRecipients : allUnsubscribed]),
    ...mailWarnings(ctx, { byEmail: recipients.length > 0, channels }),
    ...(chat && !channels.some(isDefault) ? [await noChat(db, orgId)] : []),
    ...(isRemoved ? [`It shows no costs: no ownership rule names the team ${team} any more.`] : []),
  ];
}

async function noChat(db: Database, orgId: string): Promise<string> {
  const why = (await findDefault(db, orgId))
    ? 'the channel named default gets alerts only'
    : 'the organization has no channel named default';
  return `Nothing will be sent to a chat: ${why}.`;
}

/** The channels that it goes to. */
export async function findDigestChannels(
  { db, channelKinds }: Pick<DigestContext, 'db' | 'channelKinds'>,
  { orgId, chat, channelIds }: Pick<DigestRow, 'orgId' | 'chat' | 'channelIds'>,
): Promise<Channel[]> {
  const [chosen, ofChat] = await Promise.all([
    channelIds.length === 0 ? [] : channelsFor(db, orgId, { channelIds, usesDefault: false }),
    channelsFor(db, orgId, { channelIds: [], usesDefault: chat }),
  ]);
  const distinct = new Map([...ofChat, ...chosen].map((channel) => [channel.id, channel]));
  return [...distinct.values()].filter((channel) => takesDigests(channelKinds, channel));
}

async function scheduled(db: Database, orgId: string, frequency: Frequency, now: Date) {
  const { calendar } = await getOrganization({ db, actor: { orgId } });
  return { nextAt: nextSlot(now, frequency, calendar).at, calendar: calendarText(calendar) };
}

function manages({ role, identity }: Actor, { memberId }: Pick<DigestRow, 'memberId'>): boolean {
  return memberId === null ? hasRole(role, 'admin') : memberId === identity.memberId;
}

async function digestToChange(tx: Transaction, actor: Actor, id: string): Promise<Digest> {
  const digest = await digestRows.lock(tx, { orgId: actor.orgId, id });
  if (!digest || !manages(actor, digest)) throw notFound('digest');
  return withRecipients(tx, digest);
}

async function withRecipients(tx: Transaction, digest: DigestRow): Promise<Digest> {
  return { ...digest, recipients: await findRecipientsOf(tx, digest.orgId, digest.id) };
}

function rowOf({ recipients: _, ...row }: Digest): DigestRow {
  return row;
}

function readOwner({ role, identity }: Actor, input: DigestInput): string | null {
  if (input.is_personal === false) {
    if (hasRole(role, 'admin')) return null;
    const message = 'Only admins and owners can send digests to others and to chats.';
    throw new PublicError('forbidden', 'role_too_low', message);
  }
  refuseReceivers(input);
  if (identity.memberId !== null) return identity.memberId;
  throw invalid('is_personal', 'must be false for a token without a member, because it has no email address');
}

function refuseReceivers({ recipients = [], chat = false, channel_ids = [] }: DigestChanges): void {
  if (recipients.length > 0) throw invalid('recipients', 'must be left out of a personal digest: you get it');
  if (chat) throw invalid('chat', 'must be left out of a personal digest: you get it by email');
  if (channel_ids.length > 0) {
    throw invalid('channel_ids', 'must be left out of a personal digest: you get it by email');
  }
}

function requireReceiver(recipients: readonly unknown[], hasChannel: boolean): void {
  if (recipients.length === 0 && !hasChannel) {
    throw invalid('recipients', 'must have an address, unless `chat` is true or `channel_ids` has a channel');
  }
}

export function requireReading({ scopes }: Actor, what = 'A digest'): void {
  if (scopes.includes('costs:read')) return;
  const message = `${what} shows costs, so your token also needs the scope costs:read.`;
  throw new PublicError('forbidden', 'scope_missing', message);
}

const maxRecipients = 50;

function readAddresses(emails: readonly string[]): { email: string }[] {
  for (const [index, email] of emails.entries()) {
    if (!isEmail(email)) throw invalid(`recipients[${index}]`, 'must be an email address');
  }
  const distinct = new Map(emails.map((email) => [email.toLowerCase(), { email }]));
  if (distinct.size > maxRecipients) {
    throw invalid('recipients', `must have at most ${maxRecipients} addresses`);
  }
  return [...distinct.values()];
}

/** Each member has a limit of their own, so that nobody uses up that of others. */
async function requireRoomFor(tx: Transaction, { orgId, memberId }: DigestRow): Promise<void> {
  if ((await digestRows.count(tx, { orgId, memberId })) < (memberId === null ? maxShared : maxOwn)) return;
  const message =
    memberId === null
      ? `An organization can have at most ${maxShared} digests, besides those of its members. Delete one first.`
      : `You can have at most ${maxOwn} digests. Delete one first.`;
  throw new PublicError('conflict', 'too_many_digests', message);
}

type Receiver = { email: string } | { memberId: string };

/** A member's address stands for the member: it follows a new address, and ends with the member. */
async function addRecipients(
  tx: Transaction,
  { orgId, id: digestId }: Pick<DigestRow, 'orgId' | 'id'>,
  receivers: readonly Receiver[],
): Promise<void> {
  const rows = [];
  for (const receiver of receivers) {
    const member = 'email' in receiver ? await findMemberByEmail(tx, orgId, receiver.email) : undefined;
    const memberId = 'memberId' in receiver ? receiver.memberId : (member?.id ?? null);
    const email = 'email' in receiver && memberId === null ? receiver.email : null;
    rows.push({
      orgId,
      id: randomId('rcp'),
      digestId,
      memberId,
      email,
      unsubscribeSecret: newSecret(),
      unsubscribedAt: null,
    });
  }
  await insertRecipients(tx, rows);
}

/** Recipients who stay keep their link, and stay unsubscribed. */
async function changeRecipients(
  tx: Transaction,
  { recipients, ...digest }: Digest,
  wanted: readonly { email: string }[],
): Promise<void> {
  const isIn = (list: readonly string[], address: string) => list.includes(address.toLowerCase());
  const wantedNames = wanted.map(({ email }) => email.toLowerCase());
  const names = recipients.map(({ address }) => address.toLowerCase());
  const gone = recipients.filter(({ address }) => !isIn(wantedNames, address));
  await removeRecipients(
    tx,
    digest.orgId,
    gone.map(({ id }) => id),
  );
  await addRecipients(
    tx,
    digest,
    wanted.filter(({ email }) => !isIn(names, email)),
  );
}

async function subscribeAgain(tx: Transaction, { recipients }: Digest): Promise<void> {
  for (const recipient of recipients) {
    if (recipient.unsubscribedAt !== null)
      await recipientRows.change(tx, recipient, { unsubscribedAt: null });
  }
}

function namedByTheApi({
  frequency,
  team,
  actorKind,
  memberId,
  chat,
  channelIds,
  enabled,
  recipients,
}: Digest) {
  return {
    frequency,
    team,
    actor_kind: actorKind,
    is_personal: memberId !== null,
    chat,
    channel_ids: channelIds,
    enabled,
    recipients: recipients.map(({ address }) => address),
  };
}
