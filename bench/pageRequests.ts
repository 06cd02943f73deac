/** What pages request from the API when a link opens them: test/web/pageRequests.system.test.ts records it in pageRequests.json. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const file = join(import.meta.dirname, 'pageRequests.json');

/** Paths by the address of the page. `{day-29}` is 29 days before `{day}`: today, or the day of the run. */
export const pageRequests = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string[]>;

export type Values = { org: string; run?: string; workflow?: string; day: string };

const msPerDay = 86_400_000;
const dates = /\d{4}-\d\d-\d\d/g;

/** With the values of one run and organization for the placeholders. */
export function fill(text: string, { day, ...values }: Values): string {
  return text.replaceAll(/\{([a-z]+)(?:-(\d+))?\}/g, (_, name: keyof Values, before = '0') =>
    name === 'day'
      ? new Date(Date.parse(day) - Number(before) * msPerDay).toISOString().slice(0, 10)
      : values[name]!,
  );
}

/** The paths with placeholders, each once. */
export function withPlaceholders(
  paths: readonly string[],
  { org, run, workflow }: Required<Omit<Values, 'day'>>,
) {
  const day = paths
    .flatMap((path) => path.match(dates) ?? [])
    .toSorted()
    .at(-1)!;
  const nameDay = (date: string): string => {
    const before = (Date.parse(day) - Date.parse(date)) / msPerDay;
    return before === 0 ? '{day}' : `{day-${before}}`;
  };
  const named = paths.map((path) =>
    path
      .replaceAll(org, '{org}')
      .replaceAll(run, '{run}')
      .replaceAll(workflow, '{workflow}')
      .replaceAll(dates, nameDay),
  );
  return [...new Set(named)].toSorted();
}
