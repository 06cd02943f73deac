import type { JSONColumnType } from 'kysely';

/** A value for each field of a channel's kind. */
export type Values = Record<string, string | readonly string[]>;

export type ChannelTables = {
  channels: ChannelsTable;
};

type ChannelsTable = {
  orgId: string;
  id: string;
  /** Unique in the organization, in any case. */
  name: string;
  kind: string;
  /** The value of each field; of a secret one, the part that people may see. */
  settings: JSONColumnType<Values>;
  /** The secret fields, encrypted, in hex. */
  secrets: JSONColumnType<Record<string, string>>;
  /** Alerts about these teams that choose no channel go here. */
  teams: string[];
  createdAt: Date;
  updatedAt: Date;
};
