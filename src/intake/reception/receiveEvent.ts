import type { Program } from '../../context.ts';
import { recordPullRequests } from '../../ledger/pullRequests/pullRequests.ts';
import { whyRefused, type Recorder } from '../../ledger/runs/recorder.ts';
import { createCoalescer, createCombinedReads } from '../../platform/db/coalesce.ts';
import { notFound, PublicError } from '../../platform/lib/errors.ts';
import type { Delivery } from '../providers/provider.ts';
import { webhookProviders } from '../providers/providers.ts';
import { findSource, findSourcesByKey, type SourceRow, sourceRows } from './queries.ts';
import { organizationOfSource } from './sources.ts';

export type Reception = { status: 'recorded' | 'ignored' | 'pong'; event: string; reason?: string };

/** A source with its secret. Requests that wait at the same time share the object. */
export type Sender = { source: SourceRow; secret: string };

/** Finds the source of an address. Refuses unknown ids before the request is read. */
export function createSenderFinder(program: Program): (id: string) => Promise<Sender> {
  const find = program.isDistributed ? findEach(program) : findTogether(program);
  return async (id) => {
    const orgId = organizationOfSource(id);
    const sender = orgId === null ? undefined : await find(id, orgId);
    if (!sender) throw notFound('source');
    return sender;
  };
}

type FindSender = (id: string, orgId: string) => Promise<Sender | undefined>;

function findTogether({ db, vault }: Program): FindSender {
  return createCombinedReads(async (ids) => {
    const sources = await findSourcesByKey(
      db,
      ids.map((id) => ({ orgId: organizationOfSource(id)!, id })),
    );
    return new Map(sources.map((source) => [source.id, senderOf(source, vault)]));
  });
}

/** Organizations are on several servers, and none waits for another's. */
function findEach({ db, vault }: Program): FindSender {
  const coalesce = createCoalescer<Sender | undefined>();
  return (id, orgId) =>
    coalesce(id, async () => {
      const source = await findSource(db, orgId, id);
      return source && senderOf(source, vault);
    });
}

/** Opens the secret at its first use: a broken one does not fail other sources of the same read. */
function senderOf(source: SourceRow, vault: Program['vault']): Sender {
  let secret: string | null = null;
  return {
    source,
    get secret() {
      return (secret ??= vault.open(source.secret));
    },
  };
}

export async function receiveEvent(
  program: Program & { recorder: Recorder },
  { source, secret }: Sender,
  delivery: Delivery,
): Promise<Reception> {
  const provider = webhookProviders.find(({ id }) => id === source.kind);
  // A later version of the program has added this kind of source.
  if (!provider) throw notFound('source');
  const { webhook } = provider;
  const now = program.clock.now();
  webhook.authenticate(delivery, secret, now);
  const event = await webhook.readEvent(delivery, parsePayload(delivery), now);
  const origin = { mayComment: webhook.mayComment };
  const refusal =
    event.kind === 'report' ? await program.recorder.record(source.orgId, [event.report], now, origin) : null;
  if (event.kind === 'pull_request') await recordPullRequests(program, source.orgId, [event.pullRequest]);
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

/** By default, GitHub sends a form with the JSON in the field `payload`. */
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

/** Writes about once a minute, because people need to see that events arrive, not when. */
async function saveLastEvent({ db }: Program, source: SourceRow, now: Date): Promise<void> {
  const { lastEventAt } = source;
  if (lastEventAt && now.getTime() - lastEventAt.getTime() < saveEveryMilliseconds) return;
  source.lastEventAt = now; // Requests that share the source need not write the same.
  await sourceRows.change(db, source, { lastEventAt: now });
}
