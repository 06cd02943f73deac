import type { Role } from '../../platform/lib/actor.ts';

export type MemberTables = {
  members: MembersTable;
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
