import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { sourceKindsQuery, sourcesQuery } from '../../../api/queries.ts';
import { Form } from '../../../ui/Form.tsx';
import { accountsKey, type Account, type Suggestion } from './queries.ts';

const kinds: { value: Account['kind']; label: string }[] = [
  { value: 'organization', label: 'Organization' },
  { value: 'user', label: 'Personal account' },
  { value: 'enterprise', label: 'Enterprise' },
];

const needs: Record<Account['kind'], string> = {
  organization: 'The credentials need the organization permission “Administration: read”.',
  user: 'Only the person’s own token can read it. It needs the account permission “Plan: read”.',
  enterprise: 'The token must be of an owner or a billing manager of the enterprise.',
};

export function ConnectAccount({
  suggested,
  onClose,
}: {
  suggested: Suggestion | null;
  onClose: () => void;
}) {
  const kindsOfSources = useQuery(sourceKindsQuery).data ?? [];
  const readable = kindsOfSources.filter(({ has_backfills: has }) => has).map(({ kind }) => kind);
  const sources = (useQuery(sourcesQuery).data ?? []).filter(
    ({ kind, has_credentials: has }) => has && readable.includes(kind),
  );
  const initial = {
    kind: 'organization' as Account['kind'],
    login: suggested?.login ?? '',
    source_id: suggested?.source_id ?? null,
  };
  return (
    <Form
      title="Connect a bill"
      label="Connect"
      initial={initial}
      missing={({ login, source_id: source }) => {
        if (login === '') return 'Enter the name first.';
        return sources.length > 1 && source === null ? 'Choose a source first.' : null;
      }}
      fields={({ values }) => [
        {
          name: 'kind',
          kind: 'choice',
          label: 'Account',
          options: kinds,
          description: needs[values.kind],
        },
        {
          name: 'login',
          label: 'Name',
          description: 'As in its address at GitHub.',
          placeholder: 'acme',
          required: true,
          'data-autofocus': true,
        },
        sources.length > 1 && {
          name: 'source_id',
          kind: 'choice',
          label: 'Source',
          description: 'We use the token or GitHub App of this source.',
          options: sources.map(({ id, name }) => ({ value: id, label: name })),
          none: 'Choose one',
        },
      ]}
      act={async ({ source_id, ...body }) => {
        await api.POST('/api/v1/bills/accounts', { body: { ...body, ...(source_id && { source_id }) } });
      }}
      done="Connected. The bill is on its way."
      refresh={[accountsKey]}
      onClose={onClose}
    />
  );
}
