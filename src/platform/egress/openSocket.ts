import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { refusalOf, type EgressPolicy } from './addresses.ts';

/** Why there was no answer. */
export type EgressErrorClass =
  | 'refused_url'
  | 'refused_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'protocol'
  | 'response_too_large'
  | 'aborted';

export class EgressError extends Error {
  readonly errorClass: EgressErrorClass;

  constructor(errorClass: EgressErrorClass, message: string) {
    super(message);
    this.errorClass = errorClass;
  }
}

/** How long each step of opening a connection took; null for a step that was not taken or not finished. */
export type OpeningTimes = Record<`${Step}Milliseconds`, number | null>;
type Step = 'dns' | 'connect' | 'tls';

/** All addresses of a host name. */
export type Lookup = (hostname: string) => Promise<{ address: string; family: number }[]>;

type Target = { protocol: string; hostname: string; port: string };
type Guard = { policy: EgressPolicy; lookup: Lookup; stop: AbortSignal };

/**
 * Opens a connection to a host all of whose addresses may be called, and to no other address than those. Notes in
 * `times` how long it took; throws an `EgressError`.
 */
export async function openSocket(target: Target, guard: Guard, times: OpeningTimes): Promise<Socket> {
  let step: Step = 'dns';
  let socket: Socket | undefined;
  const timed = async <T>(name: Step, work: Promise<T>): Promise<T> => {
    step = name;
    const startedAt = performance.now();
    const result = await work;
    times[`${name}Milliseconds`] = Math.round(performance.now() - startedAt);
    return result;
  };
  try {
    const { hostname } = target;
    const addresses = isIP(hostname) ? [] : await timed('dns', guard.lookup(hostname));
    refuseForbidden(isIP(hostname) ? [hostname] : addresses.map(({ address }) => address), guard.policy);
    socket = startSocket(target, addresses);
    socket.on('error', () => {}); // one that comes when nobody listens must not end the program
    await timed('connect', once(socket, 'connect', { signal: guard.stop }));
    if (!socket.remoteAddress) throw new Error('the connection was closed at once');
    refuseForbidden([socket.remoteAddress], guard.policy);
    if (socket instanceof TLSSocket) {
      await timed('tls', once(socket, 'secureConnect', { signal: guard.stop }));
    }
    return socket;
  } catch (error) {
    socket?.destroy();
    if (error instanceof EgressError) throw error;
    // Node's error about several addresses has no text of its own.
    const { message }: Error = error instanceof AggregateError ? error.errors.at(-1) : error;
    throw new EgressError(step, message);
  }
}

function startSocket({ protocol, hostname, port }: Target, addresses: Awaited<ReturnType<Lookup>>): Socket {
  const options = {
    host: hostname,
    lookup: (_hostname: string, _options: object, callback: (error: null, found: typeof addresses) => void) =>
      callback(null, addresses),
    // One address after the other; Node's 250 ms for each are too few for far receivers.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 2_000,
    noDelay: true,
  };
  if (protocol === 'http:') return connectTcp({ ...options, port: Number(port) || 80 });
  return connectTls({
    ...options,
    port: Number(port) || 443,
    servername: isIP(hostname) ? '' : hostname,
    ALPNProtocols: ['http/1.1'],
  });
}

/** One forbidden address spoils the others: which of them a later call would get is left to chance. */
function refuseForbidden(addresses: string[], policy: EgressPolicy): void {
  for (const address of addresses) {
    const refusal = refusalOf(address, policy);
    if (refusal) throw new EgressError('refused_address', refusal);
  }
}
