import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Provider } from '../../ledger/pricing/provider.ts';
import type { RunReport } from '../../ledger/runs/report.ts';

/** One request of a provider's webhook, as it came. */
export type Delivery = {
  rawBody: Buffer;
  contentType: string;
  /** By lower-case name. */
  header: (name: string) => string | undefined;
};

/** What a delivery is. `name` is the provider's own name of the event. */
export type ProviderEvent = { name: string } & (
  | { kind: 'report'; report: RunReport }
  | { kind: 'ping' }
  | { kind: 'ignored'; reason: string }
);

/** How a CI system sends events, and how people set that up. */
export type Webhook = {
  /** Throws `PublicError` (kind `unauthenticated`) unless whoever knows the source's secret sent this delivery. */
  authenticate: (delivery: Delivery, secret: string, receivedAt: Date) => void;
  /**
   * Reads an authenticated delivery; `payload` is its parsed body. Throws `PublicError` for one that lacks what
   * recording needs. Its code is loaded with the first delivery, so that commands start sooner.
   */
  readEvent: (delivery: Delivery, payload: unknown, receivedAt: Date) => Promise<ProviderEvent>;
  /** For the API's documentation: what to set up there, and what is received. */
  docs: { setup: string; events: string };
  howToConnect: (organizationLogin: string | null) => HowToConnect;
  /** Whether runs from before can be read from its API. */
  hasBackfills: boolean;
};

/** In the provider's words. Intro and steps may hold **bold**, `code` and [links](https://…), as Markdown has them. */
export type HowToConnect = {
  /** Its service on the internet, which cannot reach every server. */
  hostedTitle: string;
  /** What the address and the secret are called there. */
  urlLabel: string;
  secretLabel: string;
  /** Where to go, and what to do there. */
  intro: string;
  steps: string[];
  /** When the first event comes, and the first run. */
  firstEvent: string;
  firstRun: string;
  /** Where its deliveries, and the answers to them, can be seen. */
  deliveriesPlace: string;
};

/** A CI system; null for one that sends no webhooks. */
export type IntakeProvider = Provider & { webhook: Webhook | null };

/** Whether a hexadecimal HMAC-SHA256 signs exactly these bytes; compared in constant time. An empty secret signs nothing. */
export function isSignedWith(secret: string, hex: string, ...parts: (Buffer | string)[]): boolean {
  if (secret === '' || !/^[0-9a-f]{64}$/.test(hex)) return false;
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return timingSafeEqual(Buffer.from(hex, 'hex'), hmac.digest());
}

/** In constant time: of two digests, even the length is the same. */
export function isSameSecret(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return secret !== '' && timingSafeEqual(digest(given), digest(secret));
}
