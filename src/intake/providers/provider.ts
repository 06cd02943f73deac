import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Provider } from '../../ledger/pricing/provider.ts';
import type { PullRequestReport } from '../../ledger/pullRequests/pullRequests.ts';
import type { RunReport } from '../../ledger/runs/report.ts';

export type Delivery = {
  rawBody: Buffer;
  contentType: string;
  header: (name: string) => string | undefined;
};

export type ProviderEvent = { name: string } & (
  | { kind: 'report'; report: RunReport }
  | { kind: 'pull_request'; pullRequest: PullRequestReport }
  | { kind: 'ping' }
  | { kind: 'ignored'; reason: string }
);

export type Webhook = {
  /** Throws `PublicError` (kind `unauthenticated`) if the sender does not know the source's secret. */
  authenticate: (delivery: Delivery, secret: string, receivedAt: Date) => void;
  /** Loads its code at the first delivery, so that commands start faster. */
  readEvent: (delivery: Delivery, payload: unknown, receivedAt: Date) => Promise<ProviderEvent>;
  docs: { setup: string; events: string };
  howToConnect: (organizationLogin: string | null) => HowToConnect;
  hasBackfills: boolean;
  /** Whether we can read its usage data, which says on which runners jobs ran. */
  hasUsageData: boolean;
  /** Whether its events may cause a comment in a pull request. Senders that we do not know can name any. */
  mayComment: boolean;
  shown: Shown;
};

/** How the pages offer the provider. */
type Shown = {
  icon: (typeof icons)[number];
  about: string;
  /** The page that connects it step by step. Null if people add its webhook themselves. */
  guidedPage: `/sources/${string}` | null;
  /** Finds a run's id, as its first group, in what people search for: the id or the address of the run's page. */
  runPattern: string;
};

/** The pages have a drawing for each. */
export const icons = ['github', 'gitlab', 'circle', 'pipeline', 'webhook'] as const;

/** Of providers without a guided page. */
export const aboutWebhooks = 'A webhook reports each job as it happens. Takes about 2 minutes.';

/** Uses the provider's terms. Intro and steps may contain **bold**, `code` and [links](https://…). */
export type HowToConnect = {
  /** Name of its hosted service, which cannot reach every server. */
  hostedTitle: string;
  urlLabel: string;
  secretLabel: string;
  intro: string;
  steps: string[];
  firstEvent: string;
  firstRun: string;
  deliveriesPlace: string;
};

/** `webhook` is null for providers that send none. */
export type IntakeProvider = Provider & { webhook: Webhook | null };

export function addressPart(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}

/** Compares in constant time. No signature is valid for an empty secret. */
export function isSignedWith(secret: string, hex: string, ...parts: (Buffer | string)[]): boolean {
  if (secret === '' || !/^[0-9a-f]{64}$/.test(hex)) return false;
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return timingSafeEqual(Buffer.from(hex, 'hex'), hmac.digest());
}

/** Compares in constant time. Digests also hide the length. */
export function isSameSecret(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return secret !== '' && timingSafeEqual(digest(given), digest(secret));
}
