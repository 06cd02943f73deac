import { called, countIn, say, type AuditedKind, type Details } from '../../tenancy/audit/words.ts';

function sourceOf(name: string | null, { kind }: Details): string {
  if (name === null || typeof kind !== 'string') return called('the source', name);
  return `the source “${name}”${name.toLowerCase() === kind ? '' : ` (${kind})`}`;
}

export const source = {
  title: 'Sources',
  words: {
    connect: ({ path, webhooks }) => say`set ${countIn(webhooks, 'webhook')} at GitLab for ${path}`,
    create: (details, { name }) => `connected ${sourceOf(name, details)}`,
    delete: (details, { name }) => `deleted ${sourceOf(name, details)}`,
    delete_credentials: 'removed the credentials of the source',
    set_credentials: 'set the credentials of the source',
  },
} satisfies AuditedKind;
