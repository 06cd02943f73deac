import type { Every } from './unneeded.ts';

/** Plain text, because names come from other people. */

function listed(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most);
  const rest = names.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

function timesText(count: bigint): string {
  return count === 1n ? 'once' : `${count} times`;
}

export function mergeText(jobs: readonly string[], longestMs: bigint): string {
  const minutes = (longestMs + 59_999n) / 60_000n;
  const wait =
    minutes === 0n
      ? 'They ran one after the other anyway.'
      : `The wait gets longer: up to ${minutes} minutes in one job instead of in parallel.`;
  return (
    `Merge short jobs: ${listed(jobs)} took two minutes or less, in parallel or right after each ` +
    `other, and each was rounded up. As steps of one job, only their sum is rounded up. ${wait}`
  );
}

export function cancelSupersededText(hasPushes: boolean): string {
  const what = 'Cancel runs when a newer run of the same branch starts.';
  const but = " Don't do this for deployments, or if each commit of a branch must be tested.";
  return hasPushes ? `${what}${but}` : what;
}

export function limitTimeText(name: string, minutes: bigint): string {
  return (
    `Limit the time of ${name} to ${minutes} minutes, twice its longest success: unsuccessful jobs ` +
    'took longer.'
  );
}

export function failingText(jobs: readonly { name: string; failed: bigint; ran: bigint }[]): string {
  const rates = jobs.map(({ name, failed, ran }) => `${name} (${failed} of ${ran}, ${percent(failed, ran)})`);
  return (
    `Failing most: ${listed(rates)}. Fix repeated failures, or find them first with a shorter job. A ` +
    'failure that finds a new fault is what CI is for.'
  );
}

export function flakyText(jobs: readonly { name: string; times: bigint }[]): string {
  return (
    'Failed, then succeeded when run again: ' +
    `${listed(jobs.map(({ name, times }) => `${name} (${timesText(times)})`))}. Find out why they are ` +
    'flaky, or do not require them until then.'
  );
}

export function rerunFailedText(count: bigint): string {
  return (
    `Re-run failed jobs instead of all jobs: ${count} ${count === 1n ? 'job' : 'jobs'} ran again ` +
    'after succeeding.'
  );
}

export function queueText(count: bigint, waitedMs: bigint): string {
  return (
    `${count} ${count === 1n ? 'job' : 'jobs'} waited ${waitedMs / 60_000n} minutes in total and ` +
    'never ran. That costs no dollars, but somebody may have waited. More runners help if the wait ' +
    'was for a runner, and not for an approval or another run.'
  );
}

type FoundRuns = { found: number; of: number };

export function idleScheduleText({ found, of }: FoundRuns, every: Every): string {
  return (
    `${found} of ${of} scheduled runs repeated the commit of the run before, and no result led to a re-run or ` +
    `to a commit. Once a ${every} is enough, unless it checks something outside the repository.`
  );
}

export function alwaysCanceledText({ of }: Pick<FoundRuns, 'of'>, events: readonly string[]): string {
  return (
    `All ${of} runs on ${listed(events)} were canceled, and none finished. Stop starting them, or find out ` +
    'what cancels them.'
  );
}

export function duplicateText(
  { found, of }: FoundRuns,
  { events, jobs, twin }: { events: readonly string[]; jobs: readonly string[]; twin: string },
): string {
  return (
    `${found} of ${of} runs on ${listed(events)} repeated what ${twin} ran on the same commit: jobs of the same ` +
    `names (${listed(jobs)}), on the same runners, as long, with the same results. Compare the two files, and keep ` +
    'one.'
  );
}

/** https://docs.github.com/en/actions/how-tos/write-workflows/choose-when-workflows-run/control-jobs-with-conditions */
export function documentationText({ found, of }: FoundRuns, pullRequests: number): string {
  return (
    `${found} of ${of} runs on pull_request were for ${pullRequests} pull requests that change documentation only, ` +
    'and all passed. Skip them, and pushes of documentation, unless a job reads it. If a check of this workflow is required, it ' +
    'would stay pending and block the merge. Then keep the trigger, and skip its jobs with `if:` instead: a skipped ' +
    'job counts as passed.'
  );
}

function percent(part: bigint, whole: bigint): string {
  const tenths = (2_000n * part + whole) / (2n * whole);
  return `${tenths / 10n}.${tenths % 10n}%`;
}
