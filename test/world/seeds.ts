/** Worlds that are played in each run: those that once failed, with the reason, and some in which much happens. */
export const keptSeeds: readonly { seed: number; steps?: readonly number[]; because: string }[] = [
  { seed: 6, because: 'a process ends, an organization is deleted, and the auditor judges budgets' },
  { seed: 10, because: 'it has many statements' },
];
