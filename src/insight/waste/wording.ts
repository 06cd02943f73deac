/** What is said to people who could save something. All of it is plain text: names are other people's. */

/** `lint, format and 3 more`. */
function listed(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most);
  const rest = names.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

function timesText(count: bigint): string {
  return count === 1n ? 'once' : `${count} times`;
}

/** `longestMs`: of the longest merged job whose steps had run side by side; 0 where none had. */
export function mergeText(jobs: readonly string[], longestMs: bigint): string {
  const minutes = (longestMs + 59_999n) / 60_000n;
  const wait =
    minutes === 0n
      ? 'They ran one after the other as it is.'
      : `The wait is longer: up to ${minutes} minutes in one job instead of side by side.`;
  return (
    `Merge short jobs: ${listed(jobs)} took two minutes or less beside or right after others, and each was rounded up. ` +
    `As steps of one job, only their sum is. ${wait}`
  );
}

export function cancelSupersededText(hasPushes: boolean): string {
  const what = 'Cancel runs that a newer one of the same branch has overtaken.';
  const but = ' Not for deployments, nor where each commit of a branch has to be tested.';
  return hasPushes ? `${what}${but}` : what;
}

export function limitTimeText(name: string, minutes: bigint): string {
  return (
    `Limit the time of ${name} to ${minutes} minutes, twice its longest success: jobs that did not succeed went on ` +
    'for longer.'
  );
}

/** Jobs that failed, those that cost most by it first. */
export function failingText(jobs: readonly { name: string; failed: bigint; ran: bigint }[]): string {
  const rates = jobs.map(({ name, failed, ran }) => `${name} (${failed} of ${ran}, ${percent(failed, ran)})`);
  return (
    `Failing most: ${listed(rates)}. What fails for the same reason again can be mended, or found by a shorter job ` +
    'first. A failure that finds a new fault is what CI is for.'
  );
}

/** Jobs that failed by chance, those that cost most by it first. */
export function flakyText(jobs: readonly { name: string; times: bigint }[]): string {
  return (
    `Failed, and succeeded when run again: ${listed(jobs.map(({ name, times }) => `${name} (${timesText(times)})`))}. ` +
    'Find out what makes them fail by chance, or do not require them until then.'
  );
}

export function rerunFailedText(count: bigint): string {
  return (
    `Re-run failed jobs instead of all jobs: ${count} ${count === 1n ? 'job was' : 'jobs were'} run again after ` +
    'succeeding.'
  );
}

export function queueText(count: bigint, waitedMs: bigint): string {
  return (
    `${count} ${count === 1n ? 'job' : 'jobs'} waited ${waitedMs / 60_000n} minutes in all and never ran. That costs ` +
    'no dollars, but somebody may have waited. If it was for a runner, and not for an approval or for another run, more ' +
    'runners would help.'
  );
}

/** `12.5%`, rounded half up to a tenth. */
function percent(part: bigint, whole: bigint): string {
  const tenths = (2_000n * part + whole) / (2n * whole);
  return `${tenths / 10n}.${tenths % 10n}%`;
}
