import type { Context, Program } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import type { Mailer } from './email/mailer.ts';
import type { ChannelKinds } from './kind.ts';

/** What sends something through a channel, within a sentence: 'the alert "CI budget"'. */
export type FindUses = (tx: Transaction, orgId: string, channelId: string) => Promise<string[]>;

/** `publicUrl` returns the base of links in messages, without a trailing slash. */
export type ChannelProgram = Program & {
  mailer: Mailer | null;
  publicUrl: () => string;
  channelKinds: ChannelKinds;
  channelUses: readonly FindUses[];
};

export type ChannelContext = ChannelProgram & Pick<Context, 'actor'>;
