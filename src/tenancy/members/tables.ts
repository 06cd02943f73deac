import type { Role } from '../../platform/lib/actor.ts';

export type MemberTables = {
  members: MembersTable;
  mailAddresses: MailAddressesTable;
};

type MembersTable = {
  orgId: string;
  id: string;
  email: string;
  name: string | null;
  role: Role;
  alertEmails: boolean;
  unsubscribeSecret: string | null;
  /** Accurate to about an hour. */
  lastSeenAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

/** Of people who are no members, or were none when an email was sent to them. */
type MailAddressesTable = {
  orgId: string;
  id: string;
  /** In lower case. */
  address: string;
  unsubscribeSecret: string;
  unsubscribedAt: Date | null;
};
