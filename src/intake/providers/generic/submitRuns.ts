import { runIdOf } from '../../../ledger/runs/history.ts';
import type { Recorder } from '../../../ledger/runs/recorder.ts';
import type { RunReport } from '../../../ledger/runs/report.ts';
import { invalid, type FieldError } from '../../../platform/lib/errors.ts';
import { readSubmittedRun, type SubmittedRun } from './readSubmittedRun.ts';

/** What became of each submitted run, by its place in the batch. */
export type Submission = ({ index: number } & ({ id: string } | { errors: FieldError[] }))[];

/** Checks the form of one submitted run; `path` stands before the paths of its faults. */
export type CheckForm = (run: unknown, path: string) => { run: SubmittedRun } | { errors: FieldError[] };

/** Enough to see what is wrong: a batch can hold thousands of jobs with the same fault. */
const mostFaultsARun = 10;
/** What the database takes in about a second. */
const mostJobs = 20_000;

/** Records the runs that are in order, all in one transaction; the others are answered with their faults. */
export async function submitRuns(
  recorder: Recorder,
  orgId: string,
  runs: readonly unknown[],
  checkForm: CheckForm,
  now: Date,
): Promise<Submission> {
  const places = new Map<string, number>();
  const reports: RunReport[] = [];
  const submission = runs.map((given, index) => {
    const read = readItem(given, `body.runs[${index}]`, checkForm, now);
    if ('errors' in read) return { index, errors: read.errors.slice(0, mostFaultsARun) };
    const id = runIdOf(read.report);
    const place = places.get(`${id}/${read.report.attempt}`);
    if (place !== undefined) return { index, errors: [repeats(index, place)] };
    places.set(`${id}/${read.report.attempt}`, index);
    reports.push(read.report);
    return { index, id };
  });
  const jobs = reports.reduce((sum, report) => sum + report.jobs.length, 0);
  if (jobs > mostJobs) {
    throw invalid(
      'body.runs',
      `must hold at most ${mostJobs} jobs in all, not ${jobs}: send fewer runs at once`,
    );
  }
  await recorder.record(orgId, reports, now);
  return submission;
}

function readItem(given: unknown, path: string, checkForm: CheckForm, now: Date) {
  const checked = checkForm(given, path);
  return 'errors' in checked ? checked : readSubmittedRun(checked.run, path, now);
}

function repeats(index: number, place: number): FieldError {
  const path = `body.runs[${index}].run_id`;
  return { path, message: `repeats the provider, run_id and run_attempt of runs[${place}]` };
}
