import { dayIn, type AuditedKind } from '../../tenancy/audit/words.ts';

export const reprice = {
  title: 'Reprices',
  words: {
    cancel: 'canceled a reprice',
    create: ({ from, to, unpriced_only: isUnpricedOnly }) => {
      if (!from || !to) return 'started a reprice of past jobs';
      return `started a reprice of ${isUnpricedOnly === true ? 'unpriced jobs of ' : ''}${from === to ? dayIn(from) : `${dayIn(from)} to ${dayIn(to)}`}`;
    },
    revert: 'undid a reprice',
  },
} satisfies AuditedKind;
