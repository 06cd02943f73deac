const meanings: Record<string, { title: string; text: string }> = {
  guessed_runner: {
    title: 'Inferred runner',
    text: 'We inferred the runner size from a name that your organization chose. If the name is misleading, the cost is wrong.',
  },
  missing_labels: {
    title: 'No labels',
    text: 'The report has no labels and no runner group, so the job has no price and counts as $0. Report it again with its labels.',
  },
  negative_duration: {
    title: 'Ends before it starts',
    text: 'The provider reported an end time before the start time. The job counts as 0 seconds.',
  },
  over_time_limit: {
    title: 'Over the time limit',
    text: 'The job took longer than its provider allows, so on the provider’s own runner it is billed up to that limit plus 10 minutes. A few seconds over it are normal. Far over it, the reported times are wrong.',
  },
};

export function meaningOf(flag: string): { title: string; text: string } {
  return meanings[flag] ?? { title: flag.replaceAll('_', ' '), text: 'This cost needs a second look.' };
}
