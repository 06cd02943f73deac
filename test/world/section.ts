import { count, measuredHere, tableOf, writeSection } from '../faults/reliabilityPage.ts';
import { expected } from './sometimes.ts';

/** What a run of many seeds says of itself. */
export type Total = {
  seed: number;
  seeds: number;
  statements: number;
  failed: readonly number[];
  happened: ReadonlyMap<string, number>;
};

/** Writes the section of docs/reliability.md. */
export function writeWorlds({ seed, seeds, statements, failed, happened }: Total): void {
  const rows = expected.map((what) => [what, count(happened.get(what) ?? 0)]);
  writeSection(
    'In worlds that a seed decides',
    `\`\`\`sh
npm run world -- --seed ${seed} --seeds ${seeds}       # these worlds
npm run world -- --seed ${seed} --trace          # one of them, with each statement
\`\`\`

Measured on ${measuredHere()}: ${count(seeds)} seeds with ${count(statements)} statements. Failed: ${failed.join(', ') || 'none'}.

A world is two processes of the program, each with API and workers, on one database. Senders report the same runs out of order, repeated
and contradicting; operators change prices and retention, check budgets, change a webhook and its secret, send deliveries again, export
runs, and delete runs and an organization; receivers and mail servers refuse, hang and answer late; clocks jump past leases; connections
break and processes end at any statement. The seed decides whose statement is next, so a failure repeats, and its steps are shrunk until
each is needed.

Each answer and each export must have what was acknowledged before it was asked for. Each delivery has the URL and the signature of its
webhook at the time. At the end, the sums of all views are equal on both processes, nothing was notified twice, nothing was written after
its lease was lost, no row is left of what was deleted, removed runs are still gone, and the [auditor](#by-an-auditor) agrees.

${tableOf([['It happened that', 'Times'], ...rows])}`,
  );
}
