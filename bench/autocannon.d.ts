/** The little that the benchmarks use of it. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  type Request = { method: string; path: string; headers?: Record<string, string>; body?: string };
  type Client = { setRequests: (requests: Request[]) => void };
  type Options = {
    url: string;
    connections: number;
    /** Seconds to send for … */
    duration?: number;
    /** … or how many requests to send in all. */
    amount?: number;
    headers?: Record<string, string>;
    setupClient?: (client: Client) => void;
    /** Seconds to wait for an answer. */
    timeout?: number;
    /** Milliseconds between looks at whether it is over. */
    sampleInt?: number;
  };
  type Result = {
    errors: number;
    non2xx: number;
    '2xx': number;
    statusCodeStats: Record<string, { count: number }>;
  };

  /** Emits `start`, and `response` (client, status, bytes, milliseconds) for each answer. */
  export default function autocannon(
    options: Options,
    done: (error: Error | null, result: Result) => void,
  ): EventEmitter;
}
