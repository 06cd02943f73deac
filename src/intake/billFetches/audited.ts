import { say, type AuditedKind } from '../../tenancy/audit/words.ts';

export const billAccount = {
  title: 'Bill accounts',
  words: {
    create: ({ login }) => say`connected the bill of ${login}`,
    delete: ({ login }) => say`disconnected the bill of ${login}`,
  },
} satisfies AuditedKind;

export const billFetch = {
  title: 'Bill fetches',
  words: {
    start: ({ login }) => say`started to fetch the bill of ${login}`,
    cancel: 'canceled a fetch of the bill',
  },
} satisfies AuditedKind;
