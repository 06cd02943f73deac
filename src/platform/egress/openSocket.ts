import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { refusalOf, type EgressPolicy } from './addresses.ts';

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

export type OpeningTimes = Record<`${Step}Milliseconds`, number | null>;
type Step = 'dns' | 'connect' | 'tls';

export type Lookup = (hostname: string) => Promise<{ address: string; family: number }[]>;

type Target = { protocol: string; hostname: string; port: string };
type Guard = { policy: EgressPolicy; lookup: Lookup; stop: AbortSignal };

/** Only if we may call all addresses of the host, and only to those. Throws an `EgressError`. */
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
    socket.on('error', () => {}); // an error without another listener must not end the program
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
    // Tries address by address; Node's default of 250 ms each is too short for distant receivers.
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

/** One forbidden address refuses the host, because chance decides which address a later call would get. */
function refuseForbidden(addresses: string[], policy: EgressPolicy): void {
  for (const address of addresses) {
    const refusal = refusalOf(address, policy);
    if (refusal) throw new EgressError('refused_address', refusal);
  }
}

type Sources = {
  resolve4: (hostname: string) => Promise<string[]>;
  resolve6: (hostname: string) => Promise<string[]>;
  system: Lookup;
};

/** The system's lookup can hang in one of few threads, so it gets only what DNS does not know. */
export function createLookup(sources: Sources = systemSources()): Lookup {
  const underWay = new Map<string, ReturnType<Lookup>>();
  return (hostname) => {
    const known = underWay.get(hostname);
    if (known) return known;
    const lookup = lookUp(hostname, sources).finally(() => underWay.delete(hostname));
    underWay.set(hostname, lookup);
    return lookup;
  };
}

function systemSources(): Sources {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return {
    resolve4: (hostname) => resolver.resolve4(hostname),
    resolve6: (hostname) => resolver.resolve6(hostname),
    system: (hostname) => systemLookup(hostname, { all: true }),
  };
}

async function lookUp(hostname: string, { resolve4, resolve6, system }: Sources): ReturnType<Lookup> {
  const isLocal = !hostname.includes('.') || /\.local(host)?\.?$/.test(hostname);
  if (isLocal) return system(hostname);
  const [four, six] = await Promise.allSettled([resolve4(hostname), resolve6(hostname)]);
  const found = [...addressesOf(four, 4), ...addressesOf(six, 6)];
  if (found.length > 0) return found;
  for (const { reason } of [four, six] as PromiseRejectedResult[]) {
    if ((reason as NodeJS.ErrnoException | undefined)?.code === 'ETIMEOUT') throw reason;
  }
  return system(hostname);
}

function addressesOf(result: PromiseSettledResult<string[]>, family: 4 | 6) {
  return result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
}
