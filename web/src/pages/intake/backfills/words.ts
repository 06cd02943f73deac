import type { Backfill } from './queries.ts';

export const waitWords = {
  rate_limit: 'GitHub’s hourly request limit is used up.',
  secondary_rate_limit: 'GitHub asks for slower requests.',
  unreachable: 'GitHub cannot be reached.',
};

export function repositoriesText([first, ...others]: string[]): string {
  return others.length === 0 ? (first ?? '') : `${first} and ${others.length} more`;
}

export function notesOf({
  unread_count: total,
  unread_runs: runs,
  problems,
}: Pick<Backfill, 'unread_count' | 'unread_runs' | 'problems'>): string[] {
  const more = total - runs.length;
  return [
    ...runs.map(
      ({ repository, run_id: id, reason }) => `Run ${id} of ${repository} could not be read: ${reason}`,
    ),
    ...(more > 0 ? [`${more} more ${more === 1 ? 'run' : 'runs'} could not be read.`] : []),
    ...problems.map(({ message }) => message),
  ];
}

/** `99.4%`; 100% only if nothing was missing. */
export function shareText(share: number): string {
  return `${share === 1 ? '100' : Math.min(99.9, Math.floor(1_000 * share) / 10).toFixed(1)}%`;
}

export function repositoriesIn(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .map((part) => part.replace(/^https?:\/\/[^/]+\//, '').replace(/(\.git)?\/*$/, ''))
    .filter((part) => part !== '');
}
