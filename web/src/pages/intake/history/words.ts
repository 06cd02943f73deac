import type { Source } from '../../../api/queries.ts';
import type { Backfill } from './queries.ts';

export const waitWords = {
  rate_limit: 'GitHub’s hourly request limit is used up.',
  secondary_rate_limit: 'GitHub asks for slower requests.',
  unreachable: 'GitHub cannot be reached.',
};

/** The next step: connect GitHub, give a source credentials, or start. */
export type StepName = 'connect' | 'credentials' | 'start';

/** `sources` are those whose provider has backfills. */
export function stepOf(sources: readonly Pick<Source, 'has_credentials'>[]): StepName {
  if (sources.length === 0) return 'connect';
  return sources.some((source) => source.has_credentials) ? 'start' : 'credentials';
}

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
    ...problemsInWords(problems),
  ];
}

const maxNamed = 3;

/** A problem that several repositories share is listed once. */
function problemsInWords(problems: Backfill['problems']): string[] {
  const kindOf = ({ repository, message }: Backfill['problems'][number]) =>
    message.replaceAll(repository, '');
  const kinds = [...new Set(problems.map(kindOf))];
  return kinds.map((kind) => {
    const [first, ...others] = problems.filter((problem) => kindOf(problem) === kind);
    if (others.length === 0) return first!.message;
    const named = others.slice(0, maxNamed).map(({ repository }) => repository);
    const left = others.length - named.length;
    return `${first!.message} Same for ${named.join(', ')}${left > 0 ? ` and ${left} more` : ''}.`;
  });
}

/** Whether repeating the backfill may add what is missing. The source that it used must still exist. */
export function canRepeat({ status, source_id, problems, unread_count }: Backfill): boolean {
  if (source_id === null || status === 'queued' || status === 'running') return false;
  return status !== 'done' || problems.length > 0 || unread_count > 0;
}

/** For example `99.4%`; 100% only if nothing was missing. */
export function shareText(share: number): string {
  return `${share === 1 ? '100' : Math.min(99.9, Math.floor(1_000 * share) / 10).toFixed(1)}%`;
}

export function repositoriesIn(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .map((part) => part.replace(/^https?:\/\/[^/]+\//, '').replace(/(\.git)?\/*$/, ''))
    .filter((part) => part !== '');
}
