import { countIn, dayIn, dollarsIn, say, type AuditedKind } from '../../tenancy/audit/words.ts';

export const run = {
  title: 'Runs',
  words: {
    delete: ({ repository, jobs, cost }) =>
      say`deleted a run of ${repository} (${countIn(jobs, 'job')}, ${dollarsIn(cost)})`,
    delete_many: ({ runs, jobs, cost }) =>
      `deleted ${countIn(runs, 'run')} (${countIn(jobs, 'job')}, ${dollarsIn(cost)})`,
    remove_old: ({ before, runs }) =>
      `started to remove ${countIn(runs, 'run')}${before ? ` from before ${dayIn(before)}` : ''}`,
  },
} satisfies AuditedKind;
