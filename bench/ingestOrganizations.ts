import { randomUUID } from 'node:crypto';
import { deliveryRequests } from './ingestRequests.ts';
import { send } from './load.ts';
import { startProgram } from './program.ts';
import { isQuick } from './quick.ts';
import { logProgress, ratioOf, rounded } from './report.ts';
import { createSource, found, main, type Service } from './service.ts';
import { median } from './statistics.ts';

type Source = { id: string; secret: string };
type Case = {
  title: string;
  goal: string;
  organizations: number;
  processes: 1 | 2;
  beside: { organizations: number };
};

const rounds = isQuick ? 1 : 9;
const runsPerRound = isQuick ? 50 : 500;
const connections = 50;
const [several, many] = isQuick ? [5, 20] : [20, 1_000];

const ofOneProcess: Case[] = [several, many].map((organizations) => ({
  title: `single, ${organizations} organizations; beside 1`,
  goal: '≥ 0.80',
  organizations,
  processes: 1,
  beside: { organizations: 1 },
}));
const ofTwoProcesses: Case[] = [1, 4, several].map((organizations) => ({
  title: `single, ${organizations === 1 ? '1 organization' : `${organizations} organizations`}, 2 processes; beside 1`,
  goal: organizations === 4 ? '≥ 1.50' : '≥ 1.00',
  organizations,
  processes: 2,
  beside: { organizations },
}));

/** Rows per second of single events of several organizations, and to two processes, each beside the rate of one. */
export async function measureOrganizations(service: Service): Promise<string[][]> {
  const sources = await copyOrganizations(service, many);
  const second = await startSecond(service);
  const urls = [service.url, second.url];
  let firstRun = 10_000_000;
  const measure = async (organizations: number, processes: number): Promise<number> => {
    firstRun += runsPerRound;
    const run = (index: number) => deliveryRequests(sources[index % organizations]!, firstRun + index);
    await service.db.query('checkpoint');
    const loads = urls.slice(0, processes).map((url, process) => {
      const own = Array.from({ length: runsPerRound }, (_, index) => index).filter(
        (index) => Math.floor(index / organizations) % processes === process,
      );
      return send(url, own.flatMap(run), connections / processes);
    });
    const seconds = (await Promise.all(loads)).map((load) => load.seconds);
    return (2 * runsPerRound) / Math.max(...seconds);
  };
  const rows: string[][] = [];
  for (const { title, goal, organizations, processes, beside } of [...ofOneProcess, ...ofTwoProcesses]) {
    logProgress(`${title} …`);
    const [ours, one]: [number[], number[]] = [[], []];
    for (let round = 0; round <= rounds; round++) {
      const rates = [
        await measure(organizations, processes),
        await measure(beside.organizations, 1),
      ] as const;
      if (round === 0) continue;
      ours.push(rates[0]);
      one.push(rates[1]);
    }
    rows.push([title, rounded(median(ours)), rounded(median(one)), ratioOf(ours, one), goal]);
  }
  await second.stop();
  return rows;
}

/** Copies the service's organization and source: over HTTP, a thousand would take minutes. */
async function copyOrganizations(service: Service, count: number): Promise<Source[]> {
  const source = await createSource(service);
  const copies = Array.from({ length: count - 1 }, () => {
    const orgId = randomUUID();
    return { orgId, ...source, id: `src_${orgId.replaceAll('-', '')}_${source.id.slice(-16)}` };
  });
  const ids = copies.map(({ orgId }) => orgId);
  await copyRows(
    service,
    'organizations',
    { org_id: ids, login: ids.map(() => null) },
    `org_id = '${service.orgId}'`,
  );
  await copyRows(service, 'sources', { org_id: ids, id: copies.map(({ id }) => id) }, `id = '${source.id}'`);
  return [source, ...copies];
}

async function copyRows(
  { db }: Service,
  table: string,
  changed: Record<string, (string | null)[]>,
  where: string,
): Promise<void> {
  const { rows } = await db.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [table],
  );
  const names = Object.keys(changed);
  const typed = names.map((name, place) => `$${place + 1}::${rows.find((row) => row.name === name)!.type}[]`);
  const selected = rows.map(({ name }) => (name in changed ? `copy.${name}` : `original.${name}`));
  await db.query(
    `insert into ${table} (${rows.map(({ name }) => name).join(', ')})
      select ${selected.join(', ')} from ${table} original, unnest(${typed.join(', ')}) as copy (${names.join(', ')})
      where original.${where}`,
    Object.values(changed),
  );
}

async function startSecond({ environment }: Service): Promise<{ url: string; stop: () => Promise<void> }> {
  const settings = { PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn', RATE_LIMIT: '0' };
  const program = await startProgram([main, 'serve'], { ...environment, ...settings }, /Runcost is at \S+/);
  return { url: found(/Runcost is at (\S+)/, program.output), stop: program.stop };
}
