import type { Transaction } from '../../platform/db/database.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { requireDailyRoom } from '../../tenancy/audit/dailyRoom.ts';
import { listMembers } from '../../tenancy/members/members.ts';
import { getOrganization, lockOrganization } from '../../tenancy/organizations/organizations.ts';
import { getChannel, kindOf, type Channel } from './channels.ts';
import type { ChannelContext, ChannelProgram } from './context.ts';
import { takesEmails, unsubscribeLink } from './email/unsubscribe.ts';
import type { ChannelKind, Delivered, Destination, Message, Values } from './kind.ts';
import { openSettings, readSettings, type Stored } from './settings.ts';
import { dashboardOf, shownName, testWording, type TestNotice } from './wording.ts';

const messageMilliseconds = 30_000;
const testMilliseconds = 10_000;
/** To many addresses at once, where the mail server takes a few at a time. */
const listTestMilliseconds = 20_000;

export async function sendToChannel(
  program: Pick<ChannelProgram, 'db' | 'publicUrl' | 'vault' | 'egress' | 'mailer' | 'channelKinds'>,
  channel: Channel,
  message: Message,
  { id, address }: Pick<Destination, 'id' | 'address'>,
): Promise<Delivered> {
  const { orgId, kind, name } = channel;
  const values = openSettings(program.vault, channel);
  const link = await linkFor(program, orgId, address);
  const to = { values, address, ...link, name, id, timeoutMilliseconds: messageMilliseconds };
  return kindOf(program, kind).deliver(program, message, to);
}

export type TestOutcome = { delivered: boolean; statusCode: number | null; error: string | null };

export function outcomeOf(delivered: Delivered): TestOutcome {
  const { isDelivered, statusCode } = delivered;
  return { delivered: isDelivered, statusCode, error: isDelivered ? null : delivered.advice };
}

/** A saved channel, perhaps with other settings; or, before it is saved, its kind and settings. */
type Tested = { channel_id?: string; kind?: string; settings?: Values };

export async function testChannel(ctx: ChannelContext, tested: Tested): Promise<TestOutcome> {
  const channel = tested.channel_id === undefined ? undefined : await getChannel(ctx, tested.channel_id);
  const name = channel?.kind ?? tested.kind;
  if (name === undefined) {
    const message = 'Say which channel: send its `channel_id`, or a `kind` and `settings`.';
    throw new PublicError('conflict', 'no_channel', message);
  }
  const kind = kindOf(ctx, name);
  const { stored } = readSettings(ctx, kind, { given: tested.settings ?? {}, before: channel });
  const { settings } = stored;
  await ctx.db.transaction().execute(async (tx) => {
    const named = channel ? { name: channel.name } : {};
    const room = await requireTestRoom(tx, ctx, addressesOf(ctx, kind, stored));
    const details = { ...named, kind: name, settings, ...room };
    await recordAudit(tx, ctx, 'channel.test', channel?.id ?? name, details);
  });
  return sendTest(ctx, kind, stored, channel?.name);
}

/** As many as invitations. */
const maxTestEmailsPerDay = 200;

/** Counts emails to people who are no members. Throws if the organization has sent them too many tests today. */
export async function requireTestRoom(
  tx: Transaction,
  ctx: ChannelContext,
  addresses: readonly string[],
): Promise<{ emails_to_others?: number }> {
  const members = new Set((await listMembers({ ...ctx, db: tx })).map(({ email }) => email.toLowerCase()));
  const others = addresses.filter((address) => !members.has(address.toLowerCase())).length;
  if (others === 0) return {};
  await lockOrganization(tx, ctx.actor.orgId);
  await requireDailyRoom(tx, ctx, {
    actions: ['channel.test', 'alert.test'],
    countIn: ({ details }) => (details as { emails_to_others?: number }).emails_to_others ?? 0,
    more: others,
    max: maxTestEmailsPerDay,
    things: 'test emails to people who are no members',
  });
  return { emails_to_others: others };
}

export function addressesOf(ctx: ChannelContext, kind: ChannelKind, stored: Stored): readonly string[] {
  return kind.addresses?.(openSettings(ctx.vault, stored)) ?? [];
}

/** Sends to all addresses of the channel at once, and returns the first failure. */
export async function sendTest(
  ctx: ChannelContext,
  kind: ChannelKind,
  stored: Stored,
  name = 'that is tested',
): Promise<TestOutcome> {
  const values = openSettings(ctx.vault, stored);
  const { login, name: organization } = await getOrganization(ctx);
  const notice = { organization: login ?? organization, sentAt: ctx.clock.now().toISOString() };
  const message = testMessage(notice, dashboardOf(ctx, ctx.actor.orgId));
  const timeoutMilliseconds = kind.addresses ? listTestMilliseconds : testMilliseconds;
  const outcomes = await Promise.all(
    (kind.addresses?.(values) ?? ['']).map(async (address): Promise<Delivered> => {
      if (address !== '' && !(await takesEmails(ctx.db, ctx.actor.orgId, address))) return refused(address);
      const to = { values, address, ...(await linkFor(ctx, ctx.actor.orgId, address)) };
      return kind.deliver(ctx, message, { ...to, name, id: randomId('ntf'), timeoutMilliseconds });
    }),
  );
  return outcomeOf(outcomes.find(({ isDelivered }) => !isDelivered) ?? outcomes[0]!);
}

async function linkFor(program: Pick<ChannelProgram, 'db' | 'publicUrl'>, orgId: string, address: string) {
  return address === '' ? {} : { unsubscribeUrl: await unsubscribeLink(program, orgId, address) };
}

function refused(address: string): Delivered {
  const advice = `${address} has unsubscribed.`;
  return { isDelivered: false, statusCode: null, reason: 'unsubscribed', advice, isPermanent: true };
}

function testMessage(notice: TestNotice, dashboardUrl: string): Message {
  const { organization, sentAt } = notice;
  return {
    wording: testWording(notice, dashboardUrl),
    data: {
      event: 'test',
      organization: shownName(organization),
      sent_at: sentAt,
      dashboard_url: dashboardUrl,
    },
    isTest: true,
  };
}
