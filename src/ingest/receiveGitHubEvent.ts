import { invalid, notFound, PublicError } from '../lib/errors.ts';
import type { Program } from '../organizations/context.ts';
import type { Recorder } from '../runs/recorder.ts';
import { readGitHubEvent } from './github.ts';
import { findSource, setLastEvent, type SourceRow } from './queries.ts';
import { verifyGitHubSignature } from './signature.ts';
import { organizationOfSource } from './sources.ts';

export type Delivery = {
  rawBody: Buffer;
  contentType: string;
  eventName: string | undefined;
  signature: string | undefined;
};

export type Reception = { status: 'recorded' | 'ignored'; event: string; reason?: string };

/** The source with this id; an unknown one is refused before anything of the request is read. */
export async function requireSource({ db }: Program, id: string): Promise<SourceRow> {
  const orgId = organizationOfSource(id);
  const source = orgId && (await findSource(db, orgId, id));
  if (!source) throw notFound('source');
  return source;
}

/**
 * Takes in one delivery of a GitHub webhook: checks its signature over the bytes as they came, and answers once
 * what it tells is committed. Deliveries may be repeated and come in any order.
 */
export async function receiveGitHubEvent(
  program: Program & { recorder: Recorder },
  source: SourceRow,
  delivery: Delivery,
): Promise<Reception> {
  requireSignature(program, source, delivery);
  const { eventName } = delivery;
  if (!eventName) throw invalid('headers.x-github-event', 'is required');
  const now = program.clock.now();
  const event = readGitHubEvent(eventName, parsePayload(delivery), now);
  if (event.kind === 'report') await program.recorder.record(source.orgId, [event.report]);
  await noteEvent(program, source, now);
  if (event.kind === 'ignored') return { status: 'ignored', event: eventName, reason: event.reason };
  return { status: 'recorded', event: eventName };
}

function requireSignature({ vault }: Program, source: SourceRow, { rawBody, signature }: Delivery): void {
  if (!signature) {
    const detail = 'The header X-Hub-Signature-256 is missing: set the secret of this source in the webhook.';
    throw new PublicError('unauthenticated', 'signature_missing', detail);
  }
  if (!verifyGitHubSignature(rawBody, signature, vault.open(source.secret))) {
    const detail =
      'X-Hub-Signature-256 does not fit the body: the webhook has another secret than this source.';
    throw new PublicError('unauthenticated', 'signature_invalid', detail);
  }
}

/** GitHub sends JSON, or the same JSON as the field `payload` of a form, which is its webhooks' default. */
function parsePayload({ rawBody, contentType }: Delivery): unknown {
  const text = rawBody.toString('utf8');
  const isForm = contentType.startsWith('application/x-www-form-urlencoded');
  const json = isForm ? new URLSearchParams(text).get('payload') : text;
  try {
    return JSON.parse(json ?? '');
  } catch {
    throw new PublicError('invalid', 'invalid_json', 'The body is not valid JSON.');
  }
}

const noteEveryMilliseconds = 60_000;

/** Keeps to about a write a minute: it tells people that events arrive, not when each came. */
async function noteEvent({ db }: Program, source: SourceRow, now: Date): Promise<void> {
  const { lastEventAt } = source;
  if (lastEventAt && now.getTime() - lastEventAt.getTime() < noteEveryMilliseconds) return;
  await setLastEvent(db, source.orgId, source.id, now);
}
