import { daysOf, weekdayOf, windowBetween, type Day } from '../../src/platform/lib/days.ts';
import { newJob, newRun } from './submission.ts';

export type Fields = Record<string, unknown>;

export function runOf(day: Day, id: string, jobs: Fields[], fields: Fields = {}): Fields {
  const started_at = `${day}T08:00:00Z`;
  return newRun({
    run_id: id,
    repo_name: 'acme/mobile',
    workflow_name: 'CI',
    created_at: started_at,
    started_at,
    jobs,
    ...fields,
  });
}

export function jobOf(day: Day, id: string, minutes: number, fields: Fields = {}): Fields {
  const completed_at = new Date(Date.parse(`${day}T08:00:00Z`) + minutes * 60_000).toISOString();
  return newJob({ job_id: id, name: 'build', started_at: `${day}T08:00:00Z`, completed_at, ...fields });
}

/** Two months of one run on each working day, and of what `change` makes of them. */
export function historyOf(
  change: (day: Day) => { jobs?: Fields[]; fields?: Fields },
  end: Day = '2026-03-17',
): Fields[] {
  const days = daysOf(windowBetween('2026-01-18', end));
  return days
    .filter((day) => !weekdayOf(day).startsWith('s'))
    .map((day) => {
      const { jobs = [], fields } = change(day);
      return runOf(day, `ci-${day}`, [jobOf(day, `build-${day}`, 50), ...jobs], fields);
    });
}

const isBurst = (day: Day) => day >= '2026-03-10' && day <= '2026-03-12';

/** With three new macOS jobs from a pull request on March 10, 11 and 12. */
export function burstUntil(end: Day): Fields[] {
  return historyOf((day) => {
    if (!isBurst(day)) return {};
    const jobs = [1, 2, 3].map((place) =>
      jobOf(day, `ios-${place}-${day}`, 60, { name: `ios (${place})`, runner: 'macos_3_core' }),
    );
    const commit = '1a2b3c4d5e6f7a8b';
    return { jobs, fields: { branch: 'new-ios', pull_request: 482, commit, actor: 'ann' } };
  }, end);
}
