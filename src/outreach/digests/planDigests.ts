import { isRepriced } from '../../ledger/repricing/reprices.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { OrganizationError } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { bigintsAsText } from '../../platform/lib/money.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { getOrganization, type Organization } from '../../tenancy/organizations/organizations.ts';
import { isDefault } from '../channels/channels.ts';
import type { NotificationProgram } from '../notifications/context.ts';
import { queueDigest, receiversOf } from '../notifications/notifications.ts';
import type { DigestFigures } from './content.ts';
import { findDigestChannels } from './digests.ts';
import { gatherFigures, type DigestSources } from './gather.ts';
import { chatRecipient } from './message.ts';
import {
  claimDigest,
  type DigestRow,
  digestRows,
  findDueDigests,
  findDueOrganizations,
  findRecipientsOf,
  insertSendings,
} from './queries.ts';
import { calendarText, isDue, latestNext, latestSlot, nextSlot, type Slot } from './slots.ts';

export type DigestProgram = NotificationProgram & { digestSources: DigestSources };

const againAfterMilliseconds = 300_000;

/** Returns the number of digests. After downtime, only the latest period is sent late. */
export async function planDigests(program: DigestProgram, signal?: AbortSignal): Promise<number> {
  const now = program.clock.now();
  const failures: Error[] = [];
  let planned = 0;
  for (const orgId of await findDueOrganizations(program.db, { now, latest: latestNext(now) })) {
    if (signal?.aborted) break;
    try {
      planned += await planOrganization(program, orgId, { now, failures, signal });
    } catch (cause) {
      failures.push(new OrganizationError('digests', orgId, cause));
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'could not plan digests');
  return planned;
}

type Round = { now: Date; failures: Error[]; signal: AbortSignal | undefined };

async function planOrganization(
  program: DigestProgram,
  orgId: string,
  { now, failures, signal }: Round,
): Promise<number> {
  const { db } = program;
  // Its costs are about to change.
  if (await isRepriced(db, orgId)) return 0;
  const organization = await getOrganization({ db, actor: { orgId } });
  const calendar = calendarText(organization.calendar);
  const due = await findDueDigests(db, orgId, { now, latest: latestNext(now), calendar });
  const figures = createFigures(program, organization);
  let planned = 0;
  for (const digest of due) {
    if (signal?.aborted) break;
    const next = { nextAt: nextSlot(now, digest.frequency, organization.calendar).at, calendar };
    const slot = latestSlot(now, digest.frequency, organization.calendar);
    if (!isDue(slot, digest, now)) {
      await setPlanned(db, digest, next);
      continue;
    }
    try {
      const notice = await figures(digest, slot);
      const isPlanned = await db
        .transaction()
        .execute((tx) => plan(tx, program, { digest, slot, next, notice, now }));
      if (isPlanned) planned++;
    } catch (cause) {
      failures.push(new OrganizationError(`digest ${digest.id}`, orgId, cause));
      await setPlanned(db, digest, { nextAt: new Date(now.getTime() + againAfterMilliseconds) });
    }
  }
  return planned;
}

/** Reads the figures of an organization's digests about the same costs once. */
function createFigures(program: DigestProgram, organization: Organization) {
  const known = new Map<string, Promise<DigestFigures>>();
  const ctx = { ...program, actor: cliActor(organization.orgId) };
  return ({ frequency, team, actorKind }: DigestRow, slot: Slot): Promise<DigestFigures> => {
    const key = JSON.stringify([frequency, team, actorKind, slot.period]);
    const asked = { organization, frequency, team, actorKind, slot };
    if (!known.has(key)) known.set(key, gatherFigures(ctx, asked));
    return known.get(key)!;
  };
}

type Planned = {
  digest: DigestRow;
  slot: Slot;
  next: Pick<DigestRow, 'nextAt' | 'calendar'>;
  notice: DigestFigures;
  now: Date;
};

/** Writes the message and its recipients together, so that a worker that dies leaves nothing or all. */
async function plan(
  tx: Transaction,
  { mailer, channelKinds }: Pick<DigestProgram, 'mailer' | 'channelKinds'>,
  { digest, slot, next, notice, now }: Planned,
): Promise<boolean> {
  const claimed = await claimDigest(tx, digest);
  if (!claimed) return false;
  const { orgId, id, chat, channelIds } = claimed;
  const { start: periodStart, end: periodEnd } = slot.period;
  const people = mailer ? await findRecipientsOf(tx, orgId, id) : [];
  const kinds = { channelKinds, hasMail: mailer !== null };
  const channels = await findDigestChannels({ db: tx, channelKinds }, { orgId, chat, channelIds });
  const receivers = [
    ...people
      .filter(({ unsubscribedAt }) => unsubscribedAt === null)
      .map((recipient) => ({
        recipient: recipient.id,
        channelId: null,
        channel: 'email' as const,
        address: recipient.address,
      })),
    ...channels.flatMap((channel) =>
      receiversOf([channel], kinds).map(({ recipient: address, ...receiver }) => ({
        ...receiver,
        address,
        recipient: [chat && isDefault(channel) ? chatRecipient : channel.id, address].join(' ').trim(),
      })),
    ),
  ].map((receiver) => ({ ...receiver, notificationId: randomId('ntf') }));
  const unsent = await insertSendings(
    tx,
    receivers.map(({ recipient, notificationId }) => ({
      orgId,
      digestId: id,
      periodStart,
      periodEnd,
      recipient,
      notificationId,
      plannedAt: now,
    })),
  );
  for (const { recipient, channelId, channel, address, notificationId } of receivers) {
    if (!unsent.includes(recipient)) continue;
    await queueDigest(tx, {
      orgId,
      id: notificationId,
      channelId,
      channel,
      recipient: address,
      now,
      notice: JSON.parse(JSON.stringify({ digest: { id, recipient }, figures: notice }, bigintsAsText)),
    });
  }
  await setPlanned(tx, digest, { ...next, sentUntil: periodEnd });
  return true;
}

/** Does nothing if the digest has changed since it was read, because its next time then follows the change. */
async function setPlanned(
  db: Database,
  digest: DigestRow,
  planned: Pick<DigestRow, 'nextAt'> & Partial<Pick<DigestRow, 'calendar' | 'sentUntil'>>,
): Promise<void> {
  const { nextAt, updatedAt } = digest;
  await digestRows.change(db, digest, planned, { nextAt, updatedAt });
}

export function digestPollers(program: DigestProgram): Poller[] {
  const everyMilliseconds = 60_000;
  return [
    {
      name: 'plan digests',
      everyMilliseconds,
      run: async (signal) => (await planDigests(program, signal)) > 0,
    },
  ];
}
