import autocannon, { type Options, type Request, type Result } from 'autocannon';
import { percentile } from './statistics.ts';

export type Load = { seconds: number; requests: number; p95Milliseconds: number; p99Milliseconds: number };

const timeoutSeconds = 60;
const sampleMilliseconds = 20;

/** Requests the paths in turn, for a number of seconds or requests. Each connection starts with a different path. */
export function read(
  url: string,
  paths: readonly string[],
  token: string,
  { connections, ...length }: { connections: number } & ({ duration: number } | { amount: number }),
): Promise<Load> {
  let connection = 0;
  return run({
    url,
    connections,
    ...length,
    headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' }, // as browsers ask
    setupClient: (client) => {
      const first = connection++ % paths.length;
      client.setRequests(
        [...paths.slice(first), ...paths.slice(0, first)].map((path) => ({ method: 'GET', path })),
      );
    },
  });
}

/** Sends each request once, spread over the connections. */
export function send(url: string, requests: readonly Request[], connections: number): Promise<Load> {
  let connection = 0;
  return run({
    url,
    connections,
    amount: requests.length,
    setupClient: (client) => {
      const own = connection++;
      client.setRequests(requests.filter((_, index) => index % connections === own));
    },
  });
}

/** Throws unless every response was 2xx. Timed from the first request to the last response. */
async function run(options: Options): Promise<Load> {
  const latencies: number[] = [];
  let [startedAt, endedAt] = [0, 0];
  const result = await new Promise<Result>((resolve, reject) => {
    const sending = autocannon(
      { ...options, timeout: timeoutSeconds, sampleInt: sampleMilliseconds },
      (error, done) => (error ? reject(error) : resolve(done)),
    );
    sending.on('start', () => (startedAt = performance.now()));
    sending.on('response', (_client: unknown, _status: number, _bytes: number, milliseconds: number) => {
      latencies.push(milliseconds);
      endedAt = performance.now();
    });
  });
  if (result.errors > 0 || result.non2xx > 0 || latencies.length === 0) {
    const answers = Object.entries(result.statusCodeStats).map(
      ([status, { count }]) => `${count} × ${status}`,
    );
    throw new Error(`${options.url} answered ${[...answers, `${result.errors} errors`].join(', ')}`);
  }
  return {
    seconds: (endedAt - startedAt) / 1_000,
    requests: latencies.length,
    p95Milliseconds: percentile(latencies, 95),
    p99Milliseconds: percentile(latencies, 99),
  };
}
