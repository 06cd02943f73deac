import type { Program } from '../../context.ts';
import { whyRefused, type Recorder } from '../../ledger/runs/recorder.ts';
import { notFound, PublicError } from '../../platform/lib/errors.ts';
import type { Delivery } from '../providers/provider.ts';
import { webhookProviders } from '../providers/providers.ts';
import { findSource, setLastEvent, type SourceRow } from './queries.ts';
import { organizationOfSource } from './sources.ts';

export type Reception = { status: 'recorded' | 'ignored' | 'pong'; event: string; reason?: string };

/** Unknown ids are refused before the request is read. */
export async function requireSource({ db }: Program, id: string): Promise<SourceRow> {
  const orgId = organizationOfSource(id);
  const source = orgId && (await findSource(db, orgId, id));
  if (!source) throw notFound('source');
  return source;
}

export async function receiveEvent(
  program: Program & { recorder: Recorder },
  source: SourceRow,
  delivery: Delivery,
): Promise<Reception> {
  const provider = webhookProviders.find(({ id }) => id === source.kind);
  // A source from a later version of the program.
  if (!provider) throw notFound('source');
  const { webhook } = provider;
  const now = program.clock.now();
  webhook.authenticate(delivery, program.vault.open(source.secret), now);
  const event = await webhook.readEvent(delivery, parsePayload(delivery), now);
  const origin = source.kind === 'github' ? ({ isGitHubEvent: true } as const) : {};
  const refusal =
    event.kind === 'report' ? await program.recorder.record(source.orgId, [event.report], now, origin) : null;
  await saveLastEvent(program, source, now);
  const { events, rejectedEvents, sourceLabel } = program.telemetry.metrics;
  const labels = { provider: source.kind, source: sourceLabel(source.id) };
  events.inc(labels);
  if (refusal) {
    rejectedEvents.inc({ ...labels, reason: 'run_removed' });
    return { status: 'ignored', event: event.name, reason: `the run ${whyRefused(refusal)}` };
  }
  if (event.kind === 'ignored') return { status: 'ignored', event: event.name, reason: event.reason };
  return { status: event.kind === 'ping' ? 'pong' : 'recorded', event: event.name };
}

/** GitHub's default is a form with the JSON in the field `payload`. */
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

const saveEveryMilliseconds = 60_000;

/** Writes about once a minute: people need to see that events arrive, not when. */
async function saveLastEvent({ db }: Program, source: SourceRow, now: Date): Promise<void> {
  const { lastEventAt } = source;
  if (lastEventAt && now.getTime() - lastEventAt.getTime() < saveEveryMilliseconds) return;
  await setLastEvent(db, source.orgId, source.id, now);
}
