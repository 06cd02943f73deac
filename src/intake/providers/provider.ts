import type { RunReport } from '../../ledger/runs/report.ts';

/** One request of a provider's webhook, as it came. */
export type Delivery = {
  rawBody: Buffer;
  contentType: string;
  /** By lower-case name. */
  header: (name: string) => string | undefined;
};

/** What a delivery is. `name` is the provider's own name of the event. */
type ProviderEvent = { name: string } & (
  | { kind: 'report'; report: RunReport }
  | { kind: 'ping' }
  | { kind: 'ignored'; reason: string }
);

/** A CI system that sends webhooks. Its own file reads them; everything else is the same for all. */
export type Provider = {
  /** The name of a source that is given none. */
  title: string;
  /** Throws `PublicError` (kind `unauthenticated`) unless whoever knows the source's secret sent this delivery. */
  authenticate: (delivery: Delivery, secret: string) => void;
  /**
   * Reads an authenticated delivery; `payload` is its parsed body. Throws `PublicError` for one that lacks what
   * recording needs.
   */
  read: (delivery: Delivery, payload: unknown, receivedAt: Date) => ProviderEvent;
};
