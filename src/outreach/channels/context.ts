import type { Context, Program } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Mailer } from './email/mailer.ts';
import type { ChannelKinds } from './kind.ts';

/** What sends something through a channel, within a sentence: 'the alert "CI budget"'. */
export type FindUses = (tx: Transaction, orgId: string, channelId: string) => Promise<string[]>;

/** The newest message of a channel that was tried: when it arrived, ended or was queued, and why it failed. */
export type LastMessage = { status: 'pending' | 'sent' | 'failed'; at: Date; error: string | null };

/** `publicUrl` returns the base of links in messages, without a trailing slash. */
export type ChannelProgram = Program & {
  mailer: Mailer | null;
  publicUrl: () => string;
  channelKinds: ChannelKinds;
  channelUses: readonly FindUses[];
  /** By channel. Injected, because notifications know channels. */
  lastMessages: (db: Database, orgId: string) => Promise<ReadonlyMap<string, LastMessage>>;
};

export type ChannelContext = ChannelProgram & Pick<Context, 'actor'>;
