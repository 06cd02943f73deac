import { changed, countIn, say, type AuditedKind } from '../../tenancy/audit/words.ts';

export const runnerPool = {
  title: 'Runner pools',
  words: {
    create: 'created the runner pool',
    delete: 'deleted the runner pool',
    update: changed('the runner pool'),
    import: ({ days, pools }) => say`imported ${countIn(days, 'daily amount')} of ${pools}`,
  },
} satisfies AuditedKind;
