/** What each flag of a job means. None of them changes its cost. */
const meanings: Record<string, { title: string; text: string }> = {
  guessed_runner: {
    title: 'Guessed runner',
    text: 'The kind of runner was read out of a name that your organization chose. If the name says something else than the machine is, the cost is wrong.',
  },
  missing_labels: {
    title: 'No runner labels',
    text: 'The report has neither labels nor a runner group, so no price applies and the job counts as $0. Report it again with its labels to price it.',
  },
  negative_duration: {
    title: 'Ends before it starts',
    text: "The CI system reported the job's completion before its start. It counts as 0 seconds.",
  },
  over_time_limit: {
    title: 'Over the time limit',
    text: 'It took longer than its CI system lets jobs run: at GitHub 6 hours on its own runners, 5 days on others. Some seconds over are usual for a job stopped at the limit; far beyond, its times are mistaken.',
  },
};

/** A flag as people call it, and what it means. */
export function meaningOf(flag: string): { title: string; text: string } {
  return meanings[flag] ?? { title: flag.replaceAll('_', ' '), text: 'This cost deserves a second look.' };
}
