import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import type { Lookup } from './openSocket.ts';

type Sources = {
  resolve4: (hostname: string) => Promise<string[]>;
  resolve6: (hostname: string) => Promise<string[]>;
  system: Lookup;
};

/**
 * A look-up of host names that no silent name server can hold up for others. The system's own waits in one of a few
 * threads that the whole program shares, for as long as it likes; so DNS is asked without it, and the system only for
 * what DNS does not know: names of the hosts file and of the local network. Each name is looked up once at a time.
 */
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
