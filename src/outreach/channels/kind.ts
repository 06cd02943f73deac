import type { Egress } from '../../platform/egress/egress.ts';
import type { Mail, Mailer } from './email/mailer.ts';
import type { Values } from './tables.ts';
import type { Wording } from './wording.ts';

export type { Values } from './tables.ts';

/** The API, the pages and commands read it: a new kind is a folder here, and its line in `kinds.ts`. */
export type ChannelKind = {
  title: string;
  description: string;
  /** By name, in the order of the form. */
  fields: Record<string, Field>;
  /** Whether it gets no digests, because each message asks somebody to act. */
  isForAlertsOnly?: true;
  /** Whether it also gets a message when an alert is resolved. */
  takesResolutions?: true;
  /** One message goes to each of these addresses, from fields that are no secret. Without it, there is one message. */
  addresses?: (values: Values) => readonly string[];
  /** Sends a message, and says what the answer means. A failure that it throws is tried again. */
  deliver: (outlet: Outlet, message: Message, to: Destination) => Promise<Delivered>;
};

/** What a person enters. */
export type Field = {
  title: string;
  /** `choice` is one of `choices`, and `emails` is a list of addresses. */
  type: 'url' | 'text' | 'emails' | 'choice';
  /** Whether it is stored encrypted, and shown only in part. */
  isSecret?: true;
  isOptional?: true;
  /** How to get it, as a sentence. */
  help: string;
  example?: string;
  /** Each value with its label. */
  choices?: Record<string, string>;
  /** What a text must look like, in JavaScript's syntax, and how to say so after "must". */
  format?: { pattern: string; text: string };
};

export type Destination = {
  /** Of each field, with secrets. */
  values: Values;
  /** One of `addresses`, or empty. */
  address: string;
  /** Of `address`, for the person who reads it. */
  unsubscribeUrl?: string;
  /** The name of the channel; empty before it is saved. */
  name: string;
  /** Unique to the message, so that receivers know a repetition. */
  id: string;
  timeoutMilliseconds: number;
};

export type Message = {
  wording: Wording;
  /** The same for programs, as plain JSON with exact numbers. */
  data: object;
  /** The trigger that it is about; missing in digests and tests. */
  trigger?: { id: string; isResolved: boolean };
  isTest?: true;
  /** For emails, which can have images. */
  mail?: () => Promise<{ wording: Wording; images?: Mail['images'] }>;
};

/** The ways out. `mailer` is null if no SMTP server is set. */
export type Outlet = { egress: Pick<Egress, 'post'>; mailer: Mailer | null };

export type Delivered =
  | { isDelivered: true; statusCode: number | null }
  | {
      isDelivered: false;
      statusCode: number | null;
      /** Contains neither an address nor an answer, because both may contain a secret. */
      reason: string;
      /** The reason for a person who tests the channel, with what to do. */
      advice: string;
      /** Whether retrying is useless. */
      isPermanent: boolean;
    };

export type ChannelKinds = Record<string, ChannelKind>;
