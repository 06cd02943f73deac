import { changed, say, type AuditedKind } from '../../tenancy/audit/words.ts';

export const actorPattern = {
  title: 'Kinds of actors',
  words: {
    create: ({ pattern, kind }) => say`set the kind of the actors ${pattern} to ${kind}`,
    delete: ({ pattern }) => say`deleted the kind of the actors ${pattern}`,
    update: changed('an actor pattern'),
  },
} satisfies AuditedKind;
