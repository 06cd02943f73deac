/** Worlds that are played in each run: those that once failed, with the reason, and some in which much happens. */
export const keptSeeds: readonly { seed: number; steps?: readonly number[]; because: string }[] = [
  { seed: 5, because: 'a lease is taken over, and a report waits for the lock of another' },
  { seed: 10, because: 'it has the most statements of the first seeds' },
];
