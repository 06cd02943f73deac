import type { ActorKind } from './actorPattern.ts';

export type ActorTables = { botAccounts: BotAccountsTable; actorPatterns: ActorPatternsTable };

type BotAccountsTable = { orgId: string; name: string };

type ActorPatternsTable = {
  orgId: string;
  id: string;
  /** No two of an organization differ only in case. */
  pattern: string;
  kind: ActorKind;
  createdAt: Date;
  updatedAt: Date;
};
