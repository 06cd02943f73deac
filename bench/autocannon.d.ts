/** The part of autocannon's API that the benchmarks use. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  type Request = { method: string; path: string; headers?: Record<string, string>; body?: string };
  type Client = { setRequests: (requests: Request[]) => void };
  type Options = {
    url: string;
    connections: number;
    /** How long to send, in seconds. Set this or `amount`. */
    duration?: number;
    /** How many requests to send in total. */
    amount?: number;
    headers?: Record<string, string>;
    setupClient?: (client: Client) => void;
    /** Seconds to wait for a response. */
    timeout?: number;
    /** Milliseconds between checks whether the run has ended. */
    sampleInt?: number;
  };
  type Result = {
    errors: number;
    non2xx: number;
    '2xx': number;
    statusCodeStats: Record<string, { count: number }>;
  };

  /** Emits `start`, and `response` (client, status, bytes, milliseconds) for each response. */
  export default function autocannon(
    options: Options,
    done: (error: Error | null, result: Result) => void,
  ): EventEmitter;
}
