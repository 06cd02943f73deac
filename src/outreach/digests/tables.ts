import type { ActorKind } from '../../ledger/actors/actorPattern.ts';

export const frequencies = ['weekly', 'monthly'] as const;
export type Frequency = (typeof frequencies)[number];

export type DigestTables = {
  digests: DigestsTable;
  digestRecipients: DigestRecipientsTable;
  digestSendings: DigestSendingsTable;
};

type DigestsTable = {
  orgId: string;
  id: string;
  frequency: Frequency;
  /** Null, as is the kind of actors, means that the digest covers the whole organization. */
  team: string | null;
  actorKind: ActorKind | null;
  /** The member who gets and manages it; null for a digest that admins manage. */
  memberId: string | null;
  /** Whether it goes to the default channel. */
  chat: boolean;
  channelIds: string[];
  enabled: boolean;
  /** Periods that ended before are not sent. */
  activeSince: Date;
  nextAt: Date;
  /** The calendar that `nextAt` was computed with. */
  calendar: string;
  /** The last day of the latest period that was queued. */
  sentUntil: string | null;
  createdAt: Date;
  updatedAt: Date;
};

type DigestRecipientsTable = {
  orgId: string;
  id: string;
  digestId: string;
  /** A member, whose address may change, or an address. */
  memberId: string | null;
  email: string | null;
  unsubscribeSecret: string;
  unsubscribedAt: Date | null;
};

type DigestSendingsTable = {
  orgId: string;
  digestId: string;
  periodStart: string;
  periodEnd: string;
  /** The recipient's id, or `chat` for the default channel, or a channel's id and perhaps an address of it. */
  recipient: string;
  notificationId: string;
  plannedAt: Date;
};
