import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { isQuick } from './quick.ts';
import { ratioOf, type Report } from './report.ts';
import { main, startService } from './service.ts';
import { median } from './statistics.ts';
import type { Storage } from './storage.ts';

const rounds = isQuick ? 1 : 15;

type Seconds = { wall: number; processor: number };

/** What a command takes from its start to its end, beside a bare Node and curl with the same request. */
export async function benchCli(storage: Storage, nodeOptions: string[]): Promise<Report> {
  const service = await startService(storage, nodeOptions);
  const { url, token, environment } = service;
  const runcost = [process.execPath, ...process.execArgv, main];
  const env = { ...process.env, ...environment, NODE_COMPILE_CACHE: `${environment['DATA_DIR']}/compiled` };
  const hasCurl = await timed(['curl', '--version'], env).then(
    () => true,
    () => false,
  );
  const programs: Record<string, string[]> = {
    'node -e 0': [process.execPath, '-e', '0'],
    ...(hasCurl && {
      curl: ['curl', '-sf', '-H', `Authorization: Bearer ${token}`, `${url}/api/v1/costs?days=30`],
    }),
    'runcost --help': [...runcost, '--help'],
    'runcost costs': [...runcost, 'costs', '--days', '30'],
    'runcost alert list': [...runcost, 'alert', 'list'],
    'runcost org list --json': [...runcost, 'org', 'list', '--json'],
  };
  // The first start of each compiles its files.
  for (const program of Object.values(programs)) await timed(program, env);
  const measured = Object.keys(programs).map((): Seconds[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, program] of Object.values(programs).entries())
      measured[index]!.push(await timed(program, env));
  await service.stop();
  const [bare = []] = measured;
  const milliseconds = (values: number[]): string => (median(values) * 1_000).toFixed(0);
  return {
    headings: ['COMMAND', 'PROCESSOR MS', 'MS', 'PROCESSOR, TIMES NODE (ROUNDS)'],
    rows: Object.keys(programs).map((name, index) => {
      const [walls, processors] = [
        measured[index]!.map(({ wall }) => wall),
        measured[index]!.map((each) => each.processor),
      ];
      return [
        name,
        milliseconds(processors),
        milliseconds(walls),
        ratioOf(
          processors,
          bare.map((each) => each.processor),
        ),
      ];
    }),
    notes: [
      `Medians of ${rounds} rounds of each in turn, with compiled files in the cache, as \`runcost\` starts.`,
    ],
  };
}

/** The shell knows what its children took. */
async function timed(program: string[], env: NodeJS.ProcessEnv): Promise<Seconds> {
  const started = performance.now();
  const { stdout } = await promisify(execFile)(
    'bash',
    ['-c', '"$@" > /dev/null; times', 'bash', ...program],
    { env },
  );
  const wall = (performance.now() - started) / 1_000;
  const [, ofChildren = ''] = stdout.trim().split('\n');
  const processor = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds),
    0,
  );
  return { wall, processor };
}
