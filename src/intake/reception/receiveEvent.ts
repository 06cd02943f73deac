import type { Program } from '../../context.ts';
import type { Recorder } from '../../ledger/runs/recorder.ts';
import { notFound, PublicError } from '../../platform/lib/errors.ts';
import type { Delivery } from '../providers/provider.ts';
import { webhookProviders } from '../providers/providers.ts';
import { findSource, setLastEvent, type SourceRow } from './queries.ts';
import { organizationOfSource } from './sources.ts';

export type Reception = { status: 'recorded' | 'ignored' | 'pong'; event: string; reason?: string };

/** The source with this id; an unknown one is refused before anything of the request is read. */
export async function requireSource({ db }: Program, id: string): Promise<SourceRow> {
  const orgId = organizationOfSource(id);
  const source = orgId && (await findSource(db, orgId, id));
  if (!source) throw notFound('source');
  return source;
}

/**
 * Takes in one delivery of a provider's webhook: checks that the provider sent it, and answers once what it tells is
 * committed. Deliveries may be repeated and come in any order.
 */
export async function receiveEvent(
  program: Program & { recorder: Recorder },
  source: SourceRow,
  delivery: Delivery,
): Promise<Reception> {
  const provider = webhookProviders.find(({ id }) => id === source.kind);
  // One of a later version of the program.
  if (!provider) throw notFound('source');
  const { webhook } = provider;
  const now = program.clock.now();
  webhook.authenticate(delivery, program.vault.open(source.secret), now);
  const event = await webhook.readEvent(delivery, parsePayload(delivery), now);
  if (event.kind === 'report') await program.recorder.record(source.orgId, [event.report], now);
  await noteEvent(program, source, now);
  if (event.kind === 'ignored') return { status: 'ignored', event: event.name, reason: event.reason };
  return { status: event.kind === 'ping' ? 'pong' : 'recorded', event: event.name };
}

/** JSON, or the same JSON as the field `payload` of a form, which is the default of GitHub's webhooks. */
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
