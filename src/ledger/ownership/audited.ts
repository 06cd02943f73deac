import { changed, countIn, say, textOf, type AuditedKind, type Details } from '../../tenancy/audit/words.ts';

const rules = ({ repository, workflow, label }: Details) =>
  [repository, workflow, label].filter(Boolean).join(', ');

export const ownership = {
  title: 'Imported ownership rules',
  words: {
    import: ({ source, rules: all, added, removed }) =>
      source === undefined
        ? say`imported a file of ownership rules: ${Number(added ?? 0)} added, ${Number(removed ?? 0)} removed`
        : `imported ${countIn(all, 'ownership rule')} from ${textOf(source).replaceAll('_', ' ')}`,
  },
} satisfies AuditedKind;

export const ownershipRule = {
  title: 'Ownership rules',
  words: {
    create: (details) => say`gave ${rules(details)} to ${details['owner']}`,
    delete: (details) => say`took ${rules(details)} from ${details['owner']}`,
    update: changed('an ownership rule'),
  },
} satisfies AuditedKind;
