/** What the worlds are there for. A thousand seeds that never saw one of these would test less than they say. */
export const expected = [
  'a statement waited for a lock',
  'nobody knew whether a commit was done',
  'a connection broke',
  'a fault ended a process',
  'a process was killed',
  'a lease was taken over',
  'two workers did the same work at once',
  'reports came at the same time',
  'a job of an earlier day was reported',
  'a report came during a reprice',
  'a reprice changed prices',
  'a run was removed',
  'a removed run was reported again',
  'midnight came during work',
  'an alert was triggered',
  'a check by hand notified somebody',
  'the auditor judged',
  'outside: slow',
  'outside: refuses',
  'outside: after the time-out',
  'outside: reset',
  'outside: away',
  'outside: hangs',
] as const;

export type Sometimes = (typeof expected)[number];
