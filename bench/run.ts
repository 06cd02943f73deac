/**
 * `npm run bench -- <name>`: measures the program as it starts in production, in a separate process, on a new PostgreSQL
 * server, and the most that the same machine can do. Machines differ and are noisy, so compare the ratios.
 */
import { arch, availableParallelism, constants, cpus, loadavg, platform } from 'node:os';
import { parseArgs } from 'node:util';
import { benchBills } from './bills.ts';
import { benchCli } from './cli.ts';
import { benchCosts } from './costs.ts';
import { benchDashboard } from './dashboard.ts';
import { benchDelivery } from './delivery.ts';
import { benchEstimate } from './estimate.ts';
import { benchExports } from './exports.ts';
import { benchFailover } from './failover.ts';
import { benchFairness } from './fairness.ts';
import { benchForecast } from './forecast.ts';
import { benchIngest } from './ingest.ts';
import { printReport } from './report.ts';
import { benchReprice } from './reprice.ts';
import { benchSize } from './size.ts';
import { openStorage } from './storage.ts';
import { benchWaste } from './waste.ts';
import { benchWeb } from './web.ts';

const benchmarks = {
  ingest: { run: benchIngest, about: 'recording runs and jobs over HTTP, against bare INSERTs' },
  delivery: { run: benchDelivery, about: 'events to webhooks, against a loop that only signs and posts' },
  exports: { run: benchExports, about: 'memory and speed of exports with 100 thousand and 5 million rows' },
  bills: { run: benchBills, about: 'imports of bill reports with 100 thousand and 2 million lines' },
  costs: { run: benchCosts, about: 'questions of cost with 10 million runs, against plain SQL' },
  dashboard: { run: benchDashboard, about: 'dashboard reads with 10 thousand and 1 million runs' },
  failover: { run: benchFailover, about: 'the loss of the primary under load: how long, and what is lost' },
  fairness: {
    run: benchFairness,
    about: 'the events and dashboards of one organization while another is busy',
  },
  size: { run: benchSize, about: 'one organization with 10 million runs, and 10 thousand organizations' },
  reprice: { run: benchReprice, about: 'repricing 100 thousand recorded jobs, against bare UPDATEs' },
  forecast: {
    run: benchForecast,
    about: 'the forecast of the month, back-tested beside three naive rules: its error, not its speed',
  },
  estimate: {
    run: benchEstimate,
    about:
      'estimates of workflows, back-tested over the demo and recorded runs: their error, not their speed',
  },
  waste: { run: benchWaste, about: 'the waste of 90 days with a million runs, from jobs and from sums' },
  cli: { run: benchCli, about: 'commands from start to end, beside a bare Node and curl' },
  web: { run: benchWeb, about: 'first useful paint of the pages in Chromium, against a bare page' },
};

const help = `npm run bench -- <name> [options]

${Object.entries(benchmarks)
  .map(([name, { about }]) => `  ${name.padEnd(18)}${about}`)
  .join('\n')}
  all               each of them

  --quick           with little data and one round: shows that they work, not how fast anything is
  --runs COUNT      of the history of costs, size and waste
  --cpu-prof DIR    leave a CPU profile of the service in DIR
  --help            show this
`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      quick: { type: 'boolean' }, // read by quick.ts
      'cpu-prof': { type: 'string' },
      runs: { type: 'string' },
      help: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  const [name, ...rest] = positionals;
  if (values.help || name === undefined) {
    console.log(help);
    return 0;
  }
  const chosen = Object.entries(benchmarks).filter(([known]) => name === 'all' || known === name);
  if (chosen.length === 0 || rest.length > 0) {
    console.error(`There is no benchmark ${positionals.join(' ')}.\n\n${help}`);
    return 1;
  }
  const profile = values['cpu-prof'];
  const nodeOptions = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
  const runs = values.runs === undefined ? undefined : Number(values.runs);
  for (const [title, benchmark] of chosen) {
    const storage = openStorage();
    console.log(`${title}: ${storage.name}, ${machine()}`);
    printReport(await benchmark.run(storage, nodeOptions, { runs }));
    storage.close();
  }
  return 0;
}

function machine(): string {
  const load = loadavg()[0]!.toFixed(1);
  return `Node ${process.versions.node}, ${availableParallelism()} × ${cpus()[0]?.model}, ${platform()} ${arch()}, load ${load}`;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.exit(128 + constants.signals[signal])); // "exit" handlers stop the processes
}

try {
  process.exitCode = await main();
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  console.error(code?.startsWith('ERR_PARSE_ARGS') ? `${message}\n\n${help}` : error);
  process.exit(1); // "exit" handlers stop what the benchmark started
}
